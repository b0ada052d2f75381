import type { IdBuffer } from "./id-buffer.ts";
import { metaspace } from "./joined-characters-scanner.ts";
import { mayChangeInNfc, normalizeNfc } from "./nfc.ts";
import { isIdentity, type Normalizer, normalise } from "./normalizer.ts";
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
  /** For pieces whose normal form is another text, or begins with a prefix. */
  readonly #normalBuffer = new UnitBuffer();

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
    this.#buffer.load(text);
    const { units, length } = this.#buffer;
    let isPrefixed = begins && this.prefixesText;
    let start = 0;
    while (rawTokens?.findInBoth(text, units, start) === true) {
      const { start: token, end, id } = rawTokens;
      if (token > start) this.#appendPiece(text, start, token, isPrefixed, out);
      out.push(id);
      start = end;
      isPrefixed = this.prefixesEveryPiece;
    }
    if (start < length) this.#appendPiece(text, start, length, isPrefixed, out);
  }

  /** Appends the piece [start, end) of the text in the buffer. */
  #appendPiece(text: string, start: number, end: number, isPrefixed: boolean, out: IdBuffer): void {
    const { normalizedTokens, normalizer } = this.#parts;
    const { units } = this.#buffer;
    if (normalizedTokens !== undefined) this.#appendNormalised(text, start, end, isPrefixed, out);
    else if (this.#replacesSpaces) this.#appendWithMetaspaces(text, start, end, isPrefixed, out);
    else if (normalizer.nfc && mayChangeInNfc(units, start, end)) {
      const normal = this.#normalBuffer;
      normal.load(normalizeNfc(text.substring(start, end)));
      this.#appendWords(normal.units, 0, normal.length, out);
    } else this.#appendWords(units, start, end, out);
  }

  /** Looks for tokens in the normal form. */
  #appendNormalised(text: string, start: number, end: number, isPrefixed: boolean, out: IdBuffer): void {
    const { normalizer } = this.#parts;
    if (isIdentity(normalizer)) {
      this.#appendAroundTokens(this.#buffer.units, start, end, out);
      return;
    }
    const normal = this.#normalBuffer;
    const piece = text.substring(start, end);
    normal.load(normalise(piece, { ...normalizer, prepends: normalizer.prepends && isPrefixed }));
    this.#appendAroundTokens(normal.units, 0, normal.length, out);
  }

  #appendAroundTokens(units: Uint16Array, from: number, to: number, out: IdBuffer): void {
    const { normalizedTokens } = this.#parts;
    let start = from;
    while (normalizedTokens?.findInUnits(units, start, to) === true) {
      const { start: token, end, id } = normalizedTokens;
      this.#appendWords(units, start, token, out);
      out.push(id);
      start = end;
    }
    this.#appendWords(units, start, to, out);
  }

  #appendWithMetaspaces(text: string, start: number, end: number, isPrefixed: boolean, out: IdBuffer): void {
    const { units } = this.#buffer;
    const first = units[start];
    const hasPrefix = this.#parts.metaspace !== undefined && (first === space || first === metaspace);
    if (!isPrefixed || hasPrefix) {
      replaceSpaces(units, start, end);
      this.#appendWords(units, start, end, out);
      return;
    }
    const normal = this.#normalBuffer;
    normal.load(text.substring(start, end), 1);
    normal.units[0] = metaspace;
    replaceSpaces(normal.units, 1, normal.length);
    this.#appendWords(normal.units, 0, normal.length, out);
  }

  #appendWords(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    const { scanner, words } = this.#parts;
    scanner.reset();
    for (let index = start; index < end; ) {
      const next = scanner.next(units, index, end);
      words.append(units, index, next, out);
      index = next;
    }
  }
}

function replaceSpaces(units: Uint16Array, start: number, end: number): void {
  for (let index = start; index < end; index++) {
    if (units[index] === space) units[index] = metaspace;
  }
}
