import { ownString } from "../json/index.ts";
import type { CacheBudget } from "./cache-budget.ts";
import { ChunkEncoder, type ChunkEncoderParts, entryBytes, type Steps } from "./chunk-encoder.ts";
import { type Cuts, firstCut, lastCut } from "./cuts.ts";
import { ChainedPrompt } from "./encoded-prompt.ts";
import { GenerationMap } from "./generation-map.ts";
import { IdRun } from "./id-run.ts";
import { type KnownPrompt, PromptCache } from "./prompt-cache.ts";
import { RunList } from "./run-list.ts";
import type { EncodedPrompt, OwnText, PromptHead } from "./tokenizer.ts";

/** Longer texts between two pieces are cut further, so that a change in one does not cost all of it. */
const maxSeamUnits = 512;
/** Shorter pieces are joined with their neighbours. */
const minPieceUnits = 64;
/** Pieces up to here are encoded in one step, and kept once; of a longer one, an edited version may follow. */
const wholePieceUnits = 4096;

/** Runs around a text. */
export interface Affixes {
  readonly before: IdRun;
  readonly after: IdRun;
}

/** Where the inside of a long piece ends: which piece, where in it, and how many of the prompt's runs stand before. */
interface Border {
  readonly index: number;
  readonly cut: number;
  readonly runs: number;
}

/** The last border of a prompt, and the last one up to which all long pieces had been met before. */
interface Borders {
  readonly last: Border | undefined;
  readonly met: Border | undefined;
}

/** A prompt that is being encoded. */
interface NewPrompt {
  readonly texts: readonly string[];
  /** What is known of its beginning. */
  readonly known: KnownPrompt | undefined;
  readonly prefix: IdRun | undefined;
  /** An equal string that may be kept. */
  readonly owned: (text: string) => string;
}

/** A long piece: up to its first cut and from its last one on, what stands beside it decides. */
interface Piece {
  readonly first: number;
  readonly last: number;
  readonly run: IdRun;
}

/**
 * Encodes prompts from runs of ids that it has met before: the prompt that this one continues, long pieces, chunks of text.
 * Encoding goes in steps, and other prompts may be encoded between two of them.
 */
export class IncrementalEncoder {
  readonly #chunks: ChunkEncoder;
  readonly #cuts: Cuts;
  readonly #dropsNul: boolean;
  /** Null for a long text without two places to cut it. */
  readonly #pieces: GenerationMap<Piece | null>;
  readonly #prompts: PromptCache;

  /** @param dropsNul whether prompts are encoded without their NUL characters */
  constructor(parts: ChunkEncoderParts, budget: CacheBudget, dropsNul: boolean) {
    this.#chunks = new ChunkEncoder(parts, budget);
    this.#cuts = parts.cuts;
    this.#dropsNul = dropsNul;
    this.#pieces = new GenerationMap(budget);
    this.#prompts = new PromptCache(minPieceUnits, budget.promptBytes);
  }

  /**
   * Ids of the texts joined, as if they were one string.
   * @param affixes runs to put around them
   * @param out an empty list that nobody else uses meanwhile
   * @param ownText finds an equal string that owns its characters
   * @throws UncuttableText
   */
  *encodePieces(
    given: readonly string[],
    affixes: Affixes | undefined,
    out: RunList,
    ownText: OwnText = none,
  ): Generator<number, EncodedPrompt> {
    const prefix = affixes?.before;
    let texts = given;
    let known = this.#prompts.find(texts, prefix);
    // Known pieces hold none: those that did were kept without.
    if (this.#dropsNul && holdsNul(texts, known?.pieceCount ?? 0)) {
      texts = texts.map((text) => text.replaceAll("\0", ""));
      known = this.#prompts.find(texts, prefix);
    }
    const owned = ownedOnce(ownText);
    const { met, last } = yield* this.#appendPieces({ texts, known, prefix, owned }, out);
    if (affixes !== undefined) out.addRun(affixes.after);
    const runs = out.takeRuns();
    const remember = (parent: KnownPrompt | undefined, from: number, border: Border) => {
      const pieces = texts.slice(parent?.pieceCount ?? 0, border.index + 1).map(owned);
      return this.#prompts.add({ parent, runs: runs.slice(from, border.runs), pieces, cut: border.cut, prefix });
    };
    // Others have begun like this, and will.
    if (met !== undefined && met !== last) known = remember(known, 0, met);
    if (last !== undefined) known = remember(known, met !== last ? (met?.runs ?? 0) : 0, last);
    return new ChainedPrompt(known, last === undefined ? runs : runs.slice(last.runs));
  }

  /** Ids of a text as it stands, of which nothing is kept as a prompt. @throws UncuttableText */
  *encodeOnce(text: string, affixes: Affixes | undefined, out: RunList): Generator<number, EncodedPrompt> {
    if (affixes !== undefined) out.addRun(affixes.before);
    yield* this.append(text, out);
    if (affixes !== undefined) out.addRun(affixes.after);
    return new ChainedPrompt(undefined, out.takeRuns());
  }

  /** Takes over the head of a prompt that was encoded elsewhere. @param ids begin with those of `prefix` */
  remember({ pieces, cut, length }: PromptHead, ids: Uint32Array, prefix: IdRun | undefined): void {
    const parent = this.#prompts.find(pieces, prefix);
    if (parent?.pieceCount === pieces.length) return;
    const runs = [new IdRun(ids.slice(parent?.length ?? 0, length))];
    this.#prompts.add({ parent, runs, pieces: pieces.slice(parent?.pieceCount ?? 0).map(ownString), cut, prefix });
  }

  /** Appends the ids of one text. @throws UncuttableText */
  append(text: string, out: RunList): Steps {
    return this.#chunks.append(text, true, out);
  }

  /** Appends all but the last affix and the known prompt, which stands before. */
  *#appendPieces({ texts, known, prefix, owned }: NewPrompt, out: RunList): Generator<number, Borders> {
    let last: Border | undefined;
    let met: Border | undefined;
    let isMet = true;
    let seam = "";
    let begins = known === undefined;
    if (known !== undefined) seam = known.lastPiece.substring(known.cut);
    else if (prefix !== undefined) out.addRun(prefix);
    for (let index = known?.pieceCount ?? 0; index < texts.length; index++) {
      const text = texts[index] as string;
      if (text.length < minPieceUnits) {
        seam += text;
        continue;
      }
      // A generator costs as much as many look-ups: what was met before does without (bench/tokenize).
      const metPiece = this.#pieces.get(text);
      const piece = metPiece === undefined ? yield* this.#newPiece(text, owned) : metPiece;
      if (piece === null) {
        seam += text;
        continue;
      }
      const edge = seam + text.substring(0, piece.first);
      if (!this.#appendAtOnce(edge, begins, known, out)) yield* this.#appendSeam(edge, begins, out);
      out.addRun(piece.run);
      last = { index, cut: piece.last, runs: out.endRun() };
      isMet &&= metPiece !== undefined;
      if (isMet) met = last;
      seam = text.substring(piece.last);
      begins = false;
    }
    if (!this.#appendAtOnce(seam, begins, known, out)) yield* this.#appendSeam(seam, begins, out);
    return { last, met };
  }

  /** Appends a seam that costs little. What follows a known prompt is kept with the prompt: it is not worth an entry of its own. */
  #appendAtOnce(seam: string, begins: boolean, known: KnownPrompt | undefined, out: RunList): boolean {
    if (seam.length > maxSeamUnits) return false;
    if (known === undefined) return this.#chunks.appendMet(seam, begins, out);
    this.#chunks.appendOnce(seam, begins, out);
    return true;
  }

  /** Appends what stands between the insides of two pieces: mostly the same few words of a template. */
  #appendSeam(seam: string, begins: boolean, out: RunList): Steps {
    return seam.length > maxSeamUnits
      ? this.#chunks.append(seam, begins, out)
      : this.#chunks.appendChunk(seam, begins, out);
  }

  /** The piece's inside, or null when there are no two places to cut it. */
  *#newPiece(text: string, owned: (text: string) => string): Generator<number, Piece | null> {
    const last = lastCut(this.#cuts, text, text.length - 1, 0);
    const first = last < 0 ? -1 : firstCut(this.#cuts, text, 1, last);
    if (first < 0) {
      this.#pieces.set(owned(text), null, entryBytes + 2 * text.length);
      return null;
    }
    const piece = { first, last, run: yield* this.#inside(text.substring(first, last)) };
    this.#pieces.set(owned(text), piece, entryBytes + 2 * text.length + piece.run.byteLength);
    return piece;
  }

  *#inside(text: string): Generator<number, IdRun> {
    if (text.length <= wholePieceUnits) {
      const run = this.#chunks.encodeWhole(text, false);
      yield text.length;
      return run;
    }
    const list = new RunList();
    yield* this.#chunks.append(text, false, list);
    return new IdRun(list.takeIds());
  }
}

function none(): undefined {}

/** A long text of a prompt is copied once for all that is kept of it, and hashed once as a key. */
function ownedOnce(ownText: OwnText): (text: string) => string {
  let known: Map<string, string> | undefined;
  return (text) => {
    if (text.length < minPieceUnits) return ownString(text);
    known ??= new Map();
    let own = known.get(text);
    if (own === undefined) {
      own = ownText(text) ?? ownString(text);
      known.set(text, own);
    }
    return own;
  };
}

/** @param from the first text to look at */
function holdsNul(texts: readonly string[], from: number): boolean {
  for (let index = from; index < texts.length; index++) if ((texts[index] as string).includes("\0")) return true;
  return false;
}
