import { ownString } from "../json/index.ts";
import type { BpeEngine } from "./bpe-engine.ts";
import type { CacheBudget } from "./cache-budget.ts";
import { type Cuts, firstCut } from "./cuts.ts";
import { GenerationMap } from "./generation-map.ts";
import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";
import type { RunList } from "./run-list.ts";
import type { TokenMatcher } from "./token-matcher.ts";
import { UncuttableText } from "./uncuttable-text.ts";

/** Units of text between cuts, about: what a change in a text costs again. */
const chunkUnits = 2048;
/** V8 hashes strings of digits up to 15 units without its secret, so they are not looked up. */
const minDigitsUnits = 24;
/** What an entry takes besides its text and its run. */
export const entryBytes = 160;
/** Begins the key of a text that the engine prefixes; never part of a text. */
const prefixedKey = "\ud800";

export interface ChunkEncoderParts {
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

/** Units of text met before after which a step ends: they are hashed, compared and copied. */
const maxMetUnits = 1 << 16;

/** Units of text that a step has encoded; texts met before take none, unless they are many. */
export type Steps = Generator<number, void>;

/**
 * Encodes text in chunks that it remembers. Text is only cut where tokens on one side cannot depend on the other: at added tokens and at
 * `Cuts`; so the runs joined are the ids of the whole. Nothing is held between two steps: other texts may be encoded meanwhile.
 */
export class ChunkEncoder {
  readonly #parts: ChunkEncoderParts;
  readonly #chunks: GenerationMap<IdRun>;
  readonly #scratch = new IdBuffer();
  /** Of all texts, since a step ended for them. */
  #metUnits = 0;

  constructor(parts: ChunkEncoderParts, budget: CacheBudget) {
    this.#parts = parts;
    this.#chunks = new GenerationMap(budget);
  }

  /** Ids of a text without cutting or remembering it. */
  encodeWhole(text: string, begins: boolean): IdRun {
    this.#scratch.length = 0; // of a text that was given up
    this.#parts.engine.append(text, begins, this.#scratch);
    return new IdRun(this.#scratch.take());
  }

  /**
   * Appends the ids of one text.
   * @param begins false after a cut
   * @throws UncuttableText
   */
  *append(text: string, begins: boolean, out: RunList): Steps {
    const { anchors, engine } = this.#parts;
    let pieceBegins = begins;
    let start = 0;
    while (anchors?.find(text, start) === true) {
      const { start: anchor, end, id } = anchors;
      if (anchor > start) yield* this.#appendBetweenAnchors(text.substring(start, anchor), pieceBegins, out);
      out.ids.push(id);
      start = end;
      pieceBegins = engine.prefixesEveryPiece;
    }
    if (start < text.length)
      yield* this.#appendBetweenAnchors(start === 0 ? text : text.substring(start), pieceBegins, out);
  }

  *#appendBetweenAnchors(text: string, begins: boolean, out: RunList): Steps {
    const { innerAnchors } = this.#parts;
    let start = 0;
    while (innerAnchors?.find(text, start) === true) {
      const { start: anchor, end, id } = innerAnchors;
      if (anchor > start) yield* this.#appendInChunks(text.substring(start, anchor), begins, out);
      out.ids.push(id);
      start = end;
    }
    if (start < text.length) yield* this.#appendInChunks(start === 0 ? text : text.substring(start), begins, out);
  }

  *#appendInChunks(text: string, begins: boolean, out: RunList): Steps {
    let start = 0;
    while (text.length - start > chunkUnits) {
      const cut = firstCut(this.#parts.cuts, text, start + chunkUnits, text.length);
      if (cut < 0) break;
      yield* this.appendChunk(text.substring(start, cut), begins && start === 0, out);
      start = cut;
    }
    if (start < text.length)
      yield* this.appendChunk(start === 0 ? text : text.substring(start), begins && start === 0, out);
  }

  /** Appends the ids of a short text without looking it up or remembering it. */
  appendOnce(chunk: string, begins: boolean, out: RunList): void {
    this.#parts.engine.append(chunk, begins, out.ids);
  }

  /** Appends the ids of one text that costs next to nothing: empty, or met before. @returns false for another one */
  appendMet(chunk: string, begins: boolean, out: RunList): boolean {
    if (chunk === "") return true;
    if (mayBeDigits(chunk)) {
      this.#parts.engine.append(chunk, begins, out.ids);
      return true;
    }
    const known = this.#chunks.get(this.#keyOf(chunk, begins));
    if (known !== undefined) out.addRun(known);
    return known !== undefined;
  }

  /** Appends the ids of one text in a single step. */
  *appendChunk(chunk: string, begins: boolean, out: RunList): Steps {
    if (this.appendMet(chunk, begins, out)) {
      this.#metUnits += chunk.length;
      if (this.#metUnits < maxMetUnits) return;
      const units = this.#metUnits;
      this.#metUnits = 0;
      yield units;
      return;
    }
    const { maxUncutUnits } = this.#parts;
    const key = ownString(this.#keyOf(chunk, begins));
    if (chunk.length > maxUncutUnits) throw new UncuttableText(chunk.length);
    const run = this.encodeWhole(chunk, begins);
    this.#chunks.set(key, run, entryBytes + 2 * key.length + run.byteLength);
    out.addRun(run);
    yield chunk.length;
  }

  #keyOf(chunk: string, begins: boolean): string {
    return begins && this.#parts.engine.prefixesText ? prefixedKey + chunk : chunk;
  }
}

function mayBeDigits(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(text.length >= minDigitsUnits || first > 0x39 || first < 0x30);
}
