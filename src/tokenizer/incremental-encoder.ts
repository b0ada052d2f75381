import type { CacheBudget } from "./cache-budget.ts";
import { ChunkEncoder, type ChunkEncoderParts, entryBytes, type Steps } from "./chunk-encoder.ts";
import { type Cuts, firstCut, lastCut } from "./cuts.ts";
import { GenerationMap } from "./generation-map.ts";
import { IdRun } from "./id-run.ts";
import { ownString } from "./own-string.ts";
import { extend, type KnownPrompt, PromptCache } from "./prompt-cache.ts";
import { RunList } from "./run-list.ts";
import type { EncodedPrompt, PromptHead } from "./tokenizer.ts";

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

/** The end of a long piece's inside: which piece, where in it, and how many ids of the prompt stand before. */
interface Inside {
  readonly index: number;
  readonly cut: number;
  readonly length: number;
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
  readonly #pieces: GenerationMap<Piece>;
  readonly #prompts: PromptCache;

  constructor(parts: ChunkEncoderParts, budget: CacheBudget) {
    this.#chunks = new ChunkEncoder(parts, budget);
    this.#cuts = parts.cuts;
    this.#pieces = new GenerationMap(budget);
    this.#prompts = new PromptCache(minPieceUnits, budget.promptBytes);
  }

  /**
   * Ids of the texts joined, as if they were one string.
   * @param affixes runs to put around them
   * @param out an empty list that nobody else uses meanwhile
   * @throws UncuttableText
   */
  *encodePieces(
    texts: readonly string[],
    affixes: Affixes | undefined,
    out: RunList,
  ): Generator<number, EncodedPrompt> {
    const prefix = affixes?.before;
    const known = this.#prompts.find(texts, prefix);
    const inside = yield* this.#appendPieces(texts, known, prefix, out);
    if (affixes !== undefined) out.addRun(affixes.after);
    if (inside === undefined) return { ...out.take(known?.run), head: () => headOf(known) };
    // Another turn of the same conversation may have taken over the known prompt's memory meanwhile.
    const current = this.#prompts.find(texts, prefix);
    const prompt = { pieces: texts, ...inside, ...extend(current, out.ids.ids, inside.length), prefix };
    this.#prompts.add(prompt, current);
    return { ...out.take(prompt.run), head: () => headOf(prompt) };
  }

  /** Takes over the head of a prompt that was encoded elsewhere. @param ids begin with those of `prefix` */
  remember({ pieces, cut, length }: PromptHead, ids: Uint32Array, prefix: IdRun | undefined): void {
    const prompt = { pieces, index: pieces.length - 1, cut, ...extend(undefined, ids, length), prefix };
    this.#prompts.add(prompt, this.#prompts.find(pieces, prefix));
  }

  /** Appends the ids of one text. @throws UncuttableText */
  append(text: string, out: RunList): Steps {
    return this.#chunks.append(text, true, out);
  }

  /** Appends all but the last affix; returns where the inside of the last long piece that `known` does not have ended. */
  *#appendPieces(
    texts: readonly string[],
    known: KnownPrompt | undefined,
    prefix: IdRun | undefined,
    out: RunList,
  ): Generator<number, Inside | undefined> {
    let inside: Inside | undefined;
    let seam = "";
    if (known !== undefined) {
      out.addRun(known.run);
      seam = (texts[known.index] as string).substring(known.cut);
    } else if (prefix !== undefined) {
      out.addRun(prefix);
    }
    let begins = known === undefined;
    for (let index = known === undefined ? 0 : known.index + 1; index < texts.length; index++) {
      const text = texts[index] as string;
      const piece = text.length < minPieceUnits ? undefined : yield* this.#piece(text);
      if (piece === undefined) {
        seam += text;
        continue;
      }
      yield* this.#appendSeam(seam + text.substring(0, piece.first), begins, out);
      out.addRun(piece.run);
      inside = { index, cut: piece.last, length: out.length };
      seam = text.substring(piece.last);
      begins = false;
    }
    yield* this.#appendSeam(seam, begins, out);
    return inside;
  }

  /** Appends what stands between the insides of two pieces: mostly the same few words of a template. */
  #appendSeam(seam: string, begins: boolean, out: RunList): Steps {
    return seam.length > maxSeamUnits
      ? this.#chunks.append(seam, begins, out)
      : this.#chunks.appendChunk(seam, begins, out);
  }

  /** The piece's inside, or undefined when there are no two places to cut it. */
  *#piece(text: string): Generator<number, Piece | undefined> {
    const known = this.#pieces.get(text);
    if (known !== undefined) return known;
    const last = lastCut(this.#cuts, text, text.length - 1, 0);
    const first = last < 0 ? -1 : firstCut(this.#cuts, text, 1, last);
    if (first < 0) return undefined;
    const piece = { first, last, run: yield* this.#inside(text.substring(first, last)) };
    this.#pieces.set(ownString(text), piece, entryBytes + 2 * text.length + piece.run.byteLength);
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

function headOf(known: KnownPrompt | undefined): PromptHead | undefined {
  if (known === undefined) return undefined;
  const { pieces, index, cut, run, prefix } = known;
  return { pieces: pieces.slice(0, index + 1), cut, length: run.ids.length, addSpecialTokens: prefix !== undefined };
}
