import type { BpeEngine } from "./bpe-engine.ts";
import type { CacheBudget } from "./cache-budget.ts";
import { type Cuts, firstCut, lastCut } from "./cuts.ts";
import { GenerationMap } from "./generation-map.ts";
import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";
import { ownString } from "./own-string.ts";
import { extend, type KnownPrompt, PromptCache } from "./prompt-cache.ts";
import { RunList } from "./run-list.ts";
import type { TokenMatcher } from "./token-matcher.ts";
import type { EncodedPrompt } from "./tokenizer.ts";
import { UncuttableText } from "./uncuttable-text.ts";

/** Units of text between cuts, about: what a change in a text costs again. */
const chunkUnits = 2048;
/** V8 hashes strings of digits up to 15 units without its secret, so they are not looked up. */
const minDigitsUnits = 24;
/** Longer texts between two pieces are cut further, so that a change in one does not cost all of it. */
const maxSeamUnits = 512;
/** Shorter pieces are joined with their neighbours. */
const minPieceUnits = 64;
/** Longer pieces can be encoded ahead of their prompt, a chunk at a time. */
const minPreparedUnits = 4096;
/** How far into a piece a cut is looked for. */
const cutSearchUnits = 256;
/** What an entry takes besides its text and its run. */
const entryBytes = 160;
/** Begins the key of a text that the engine prefixes; never part of a text. */
const prefixedKey = "\ud800";

export interface IncrementalParts {
  readonly engine: BpeEngine;
  readonly cuts: Cuts;
  /**
   * Added tokens at which a text is always cut. A token that is not among them neither overlaps one nor holds one.
   */
  readonly anchors: TokenMatcher | undefined;
  /** Added tokens at which a text between anchors is cut in turn: those looked for in the normal form, when it is the text itself. */
  readonly innerAnchors: TokenMatcher | undefined;
  /** Longest text without a cut that is encoded, in UTF-16 units: it takes one uninterrupted step. */
  readonly maxUncutUnits: number;
}

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
 * Encodes text from runs of ids that it has met before. Text is only cut where tokens on one side cannot depend on the other: at added tokens
 * and at `Cuts`; so the runs joined are the ids of the whole.
 */
export class IncrementalEncoder {
  readonly #parts: IncrementalParts;
  readonly #chunks: GenerationMap<IdRun>;
  readonly #pieces: GenerationMap<Piece>;
  readonly #prompts: PromptCache;
  readonly #scratch = new IdBuffer();
  readonly #insideScratch = new IdBuffer();

  constructor(parts: IncrementalParts, budget: CacheBudget) {
    this.#parts = parts;
    this.#chunks = new GenerationMap(budget);
    this.#pieces = new GenerationMap(budget);
    this.#prompts = new PromptCache(minPieceUnits, budget.promptBytes);
  }

  /**
   * Ids of the texts joined, as if they were one string.
   * @param affixes runs to put around them
   * @param out an empty list
   */
  encodePieces(texts: readonly string[], affixes: Affixes | undefined, out: RunList): EncodedPrompt {
    const known = this.#prompts.find(texts, affixes?.before);
    const inside = this.#appendPieces(texts, known, affixes, out);
    if (affixes !== undefined) out.addRun(affixes.after);
    if (inside === undefined) return out.take(known?.run);
    const prompt = { pieces: texts, ...inside, ...extend(known, out.ids.ids, inside.length), prefix: affixes?.before };
    this.#prompts.add(prompt, known);
    return out.take(prompt.run);
  }

  /**
   * Encodes the long texts that are new, a chunk at a time, so that `encodePieces` of the same texts finds them. Nothing of a prompt is held
   * between two steps: other prompts may be encoded meanwhile. Yields the units of each step.
   * @throws UncuttableText
   */
  *prepare(texts: readonly string[], prefix: IdRun | undefined): Generator<number, void> {
    const known = this.#prompts.find(texts, prefix);
    for (let index = known === undefined ? 0 : known.index + 1; index < texts.length; index++) {
      const text = texts[index] as string;
      if (text.length >= minPreparedUnits && this.#pieces.get(text) === undefined) yield* this.#preparePiece(text);
    }
  }

  *#preparePiece(text: string): Generator<number, void> {
    const ends = this.#insideOf(text);
    if (ends === undefined) return;
    const list = new RunList();
    yield* this.#steps(text.substring(ends.first, ends.last), false, list);
    this.#keepPiece(text, { ...ends, run: new IdRun(list.takeIds()) });
  }

  /** Appends all but the last affix; returns where the inside of the last long piece that `known` does not have ended. */
  #appendPieces(
    texts: readonly string[],
    known: KnownPrompt | undefined,
    affixes: Affixes | undefined,
    out: RunList,
  ): Inside | undefined {
    let inside: Inside | undefined;
    let seam = "";
    if (known !== undefined) {
      out.addRun(known.run);
      seam = (texts[known.index] as string).substring(known.cut);
    } else if (affixes !== undefined) {
      out.addRun(affixes.before);
    }
    let begins = known === undefined;
    for (let index = known === undefined ? 0 : known.index + 1; index < texts.length; index++) {
      const text = texts[index] as string;
      const piece = text.length < minPieceUnits ? undefined : this.#piece(text);
      if (piece === undefined) {
        seam += text;
        continue;
      }
      this.#appendSeam(seam + text.substring(0, piece.first), begins, out);
      out.addRun(piece.run);
      inside = { index, cut: piece.last, length: out.length };
      seam = text.substring(piece.last);
      begins = false;
    }
    this.#appendSeam(seam, begins, out);
    return inside;
  }

  /** Appends what stands between the insides of two pieces: mostly the same few words of a template. */
  #appendSeam(seam: string, begins: boolean, out: RunList): void {
    if (seam.length > maxSeamUnits) this.append(seam, begins, out);
    else this.#appendChunk(seam, begins, out);
  }

  /**
   * Appends the ids of one text.
   * @param begins false after a cut
   * @throws UncuttableText
   */
  append(text: string, begins: boolean, out: RunList): void {
    const steps = this.#steps(text, begins, out);
    while (steps.next().done !== true);
  }

  *#steps(text: string, begins: boolean, out: RunList): Generator<number, void> {
    const { anchors, engine } = this.#parts;
    let pieceBegins = begins;
    let start = 0;
    while (anchors?.find(text, start) === true) {
      const { start: anchor, end, id } = anchors;
      yield* this.#stepsBetweenAnchors(text.substring(start, anchor), pieceBegins, out);
      out.ids.push(id);
      start = end;
      pieceBegins = engine.prefixesEveryPiece;
    }
    yield* this.#stepsBetweenAnchors(text.substring(start), pieceBegins, out);
  }

  *#stepsBetweenAnchors(text: string, begins: boolean, out: RunList): Generator<number, void> {
    const { innerAnchors } = this.#parts;
    let start = 0;
    while (innerAnchors?.find(text, start) === true) {
      const { start: anchor, end, id } = innerAnchors;
      yield* this.#chunkSteps(text.substring(start, anchor), begins, out);
      out.ids.push(id);
      start = end;
    }
    yield* this.#chunkSteps(start === 0 ? text : text.substring(start), begins, out);
  }

  *#chunkSteps(text: string, begins: boolean, out: RunList): Generator<number, void> {
    let start = 0;
    while (text.length - start > chunkUnits) {
      const cut = firstCut(this.#parts.cuts, text, start + chunkUnits, text.length);
      if (cut < 0) break;
      this.#appendChunk(text.substring(start, cut), begins && start === 0, out);
      yield cut - start;
      start = cut;
    }
    if (start < text.length) this.#appendChunk(start === 0 ? text : text.substring(start), begins && start === 0, out);
  }

  #appendChunk(chunk: string, begins: boolean, out: RunList): void {
    if (chunk.length > this.#parts.maxUncutUnits) throw new UncuttableText(chunk.length);
    if (mayBeDigits(chunk)) this.#parts.engine.append(chunk, begins, out.ids);
    else out.addRun(this.#chunk(chunk, begins));
  }

  #chunk(chunk: string, begins: boolean): IdRun {
    const key = begins && this.#parts.engine.prefixesText ? prefixedKey + chunk : chunk;
    const known = this.#chunks.get(key);
    if (known !== undefined) return known;
    const run = this.#encode(chunk, begins);
    this.#chunks.set(ownString(key), run, entryBytes + 2 * key.length + run.byteLength);
    return run;
  }

  #encode(text: string, begins: boolean): IdRun {
    this.#parts.engine.append(text, begins, this.#scratch);
    return new IdRun(this.#scratch.take());
  }

  /** The piece's inside, or undefined when no two cuts are found near its ends. */
  #piece(text: string): Piece | undefined {
    const known = this.#pieces.get(text);
    if (known !== undefined) return known;
    const ends = this.#insideOf(text);
    if (ends === undefined) return undefined;
    return this.#keepPiece(text, { ...ends, run: this.#inside(text.substring(ends.first, ends.last)) });
  }

  #keepPiece(text: string, piece: Piece): Piece {
    this.#pieces.set(ownString(text), piece, entryBytes + 2 * text.length + piece.run.byteLength);
    return piece;
  }

  #insideOf(text: string): Pick<Piece, "first" | "last"> | undefined {
    const { cuts } = this.#parts;
    const last = lastCut(cuts, text, text.length - 1, Math.max(0, text.length - cutSearchUnits));
    const first = last < 0 ? -1 : firstCut(cuts, text, 1, Math.min(last, cutSearchUnits));
    return first < 0 ? undefined : { first, last };
  }

  #inside(text: string): IdRun {
    // A short text is kept once, with its piece; of a long one, an edited version may follow.
    if (text.length <= 4 * chunkUnits) return this.#encode(text, false);
    const list = new RunList(this.#insideScratch);
    this.append(text, false, list);
    return new IdRun(list.takeIds());
  }
}

function mayBeDigits(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(text.length >= minDigitsUnits || first > 0x39 || first < 0x30);
}
