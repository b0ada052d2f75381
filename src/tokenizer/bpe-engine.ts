import type { IdBuffer } from "./id-buffer.ts";
import { metaspace } from "./joined-characters-scanner.ts";
import { mayChangeInNfc, normalizeNfc } from "./nfc.ts";
import { type Normalizer, normalise } from "./normalizer.ts";
import type { TokenMatcher } from "./token-matcher.ts";
import { UnitBuffer } from "./unit-buffer.ts";
import type { WordEncoder } from "./word-encoder.ts";
import type { Metaspace } from "./word-pattern.ts";
import type { WordScanner } from "./word-scanner.ts";

const space = 0x20;

export interface BpeEngineParts {
  /** Added tokens that are looked for in the text as it is. */
  readonly rawTokens: TokenMatcher | undefined;
  /** Added tokens that are looked for in the normal form; none with `metaspace`. */
  readonly normalizedTokens: TokenMatcher | undefined;
  readonly normalizer: Normalizer;
  readonly metaspace: Metaspace | undefined;
  /** Whether U+2581 is put before each piece between added tokens, not only before the text. */
  readonly prefixesEveryPiece: boolean;
  readonly scanner: WordScanner;
  readonly words: WordEncoder;
}

/** Text to ids without looking back: added tokens, normal form, words, merges. */
export class BpeEngine {
  readonly prefixesEveryPiece: boolean;
  /** Whether U+2581 is put before the text. */
  readonly prefixesText: boolean;
  readonly #parts: BpeEngineParts;
  readonly #replacesSpaces: boolean;
  readonly #buffer = new UnitBuffer();

  constructor(parts: BpeEngineParts) {
    this.#parts = parts;
    this.prefixesEveryPiece = parts.prefixesEveryPiece;
    this.prefixesText = parts.prefixesEveryPiece || parts.metaspace?.prepend === "first";
    this.#replacesSpaces = parts.normalizer.replacesSpaces || parts.metaspace !== undefined;
  }

  /**
   * Appends the ids of `text`.
   * @param begins whether the model's whole text, or a piece after an added token, begins here; false after a cut
   */
  append(text: string, begins: boolean, out: IdBuffer): void {
    const { rawTokens } = this.#parts;
    let isPrefixed = begins && this.prefixesText;
    let start = 0;
    while (rawTokens?.find(text, start) === true) {
      if (rawTokens.start > start) this.#appendPiece(text.substring(start, rawTokens.start), isPrefixed, out);
      out.push(rawTokens.id);
      start = rawTokens.end;
      isPrefixed = this.prefixesEveryPiece;
    }
    if (start < text.length) this.#appendPiece(text.substring(start), isPrefixed, out);
  }

  #appendPiece(piece: string, isPrefixed: boolean, out: IdBuffer): void {
    const { normalizedTokens, normalizer } = this.#parts;
    if (normalizedTokens === undefined) {
      this.#appendWords(0, this.#loadNormal(piece, isPrefixed), out);
      return;
    }
    const normal = normalise(piece, { ...normalizer, prepends: normalizer.prepends && isPrefixed });
    this.#buffer.load(normal);
    let start = 0;
    while (normalizedTokens.find(normal, start)) {
      this.#appendWords(start, normalizedTokens.start, out);
      out.push(normalizedTokens.id);
      start = normalizedTokens.end;
    }
    this.#appendWords(start, normal.length, out);
  }

  /** Loads the normal form of a piece and returns its length in units. */
  #loadNormal(piece: string, isPrefixed: boolean): number {
    const buffer = this.#buffer;
    if (this.#replacesSpaces) return this.#loadWithMetaspaces(piece, isPrefixed);
    buffer.load(piece);
    if (this.#parts.normalizer.nfc && mayChangeInNfc(buffer.units, buffer.length)) buffer.load(normalizeNfc(piece));
    return buffer.length;
  }

  #loadWithMetaspaces(piece: string, isPrefixed: boolean): number {
    const buffer = this.#buffer;
    const first = piece.charCodeAt(0);
    const hasPrefix = this.#parts.metaspace !== undefined && (first === space || first === metaspace);
    const reserve = isPrefixed && !hasPrefix ? 1 : 0;
    buffer.load(piece, reserve);
    const { units, length } = buffer;
    if (reserve === 1) units[0] = metaspace;
    for (let index = reserve; index < length; index++) {
      if (units[index] === space) units[index] = metaspace;
    }
    return length;
  }

  #appendWords(start: number, end: number, out: IdBuffer): void {
    const { scanner, words } = this.#parts;
    const { units } = this.#buffer;
    scanner.reset();
    for (let index = start; index < end; ) {
      const next = scanner.next(units, index, end);
      words.append(units, index, next, out);
      index = next;
    }
  }
}
