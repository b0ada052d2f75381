import { classAt, plainWordEnd, runEnd } from "./code-units.ts";
import { contractionEnd, digitsEnd, isNewline, nextIndex, symbolsOrSpaceEnd } from "./pattern-parts.ts";
import { digit, letter, mark, whiteSpace } from "./unicode-classes.ts";
import type { WordScanner } from "./word-scanner.ts";

export interface LettersPattern {
  /** Digits in a word, at most. */
  readonly digits: number;
  /** Whether combining marks count as letters: `[\p{L}\p{M}]+`. */
  readonly marks: boolean;
}

/**
 * The pattern of Qwen 2 and 3 (1 digit), Llama 3 and GLM 4 (3 digits), Qwen 3.5 (with marks):
 * `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 */
export class LettersScanner implements WordScanner {
  readonly #digits: number;
  readonly #letters: number;
  readonly #wordClasses: number;

  constructor({ digits, marks }: LettersPattern) {
    this.#digits = digits;
    this.#letters = marks ? letter | mark : letter;
    this.#wordClasses = this.#letters | digit | whiteSpace;
  }

  reset(): void {}

  next(units: Uint16Array, start: number, end: number): number {
    const word = plainWordEnd(units, start, end);
    return word > start ? word : this.#nextOfAny(units, start, end);
  }

  #nextOfAny(units: Uint16Array, start: number, end: number): number {
    const contraction = contractionEnd(units, start, end);
    if (contraction > start) return contraction;
    const kind = classAt(units, start, end);
    const letters = this.#letters;
    if ((kind & letters) !== 0) return runEnd(units, start, end, letters);
    if ((kind & digit) !== 0) return digitsEnd(units, start, end, this.#digits);
    const after = nextIndex(units, start, end);
    if (after < end && (classAt(units, after, end) & letters) !== 0 && !isNewline(units[start] as number)) {
      return runEnd(units, after, end, letters);
    }
    return symbolsOrSpaceEnd(units, start, end, this.#wordClasses, false);
  }
}
