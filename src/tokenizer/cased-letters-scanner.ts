import { classAt, codePointAt, plainCasedWordEnd, runEnd, widthOf } from "./code-units.ts";
import { contractionEnd, digitsEnd, isNewline, nextIndex, symbolsOrSpaceEnd } from "./pattern-parts.ts";
import { digit, letter, lowerCase, mark, unicodeClasses, upperCase, whiteSpace } from "./unicode-classes.ts";
import type { WordScanner } from "./word-scanner.ts";

export interface CasedLettersPattern {
  /** Digits in a word, at most. */
  readonly digits: number;
  /** Whether a word takes a contraction ('s, 'll...) that follows it. */
  readonly contractions: boolean;
}

const wordClasses = letter | digit | whiteSpace;

/**
 * The pattern o200k of gpt-4o and gpt-oss, and Tekken of Mistral (1 digit, no contractions). With U = `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`, W = `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, C = `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`:
 * `[^\r\n\p{L}\p{N}]?U*W+C|[^\r\n\p{L}\p{N}]?U+W*C|\p{N}{1,digits}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
 */
export class CasedLettersScanner implements WordScanner {
  readonly #digits: number;
  readonly #contractions: boolean;

  constructor({ digits, contractions }: CasedLettersPattern) {
    this.#digits = digits;
    this.#contractions = contractions;
  }

  reset(): void {}

  next(units: Uint16Array, start: number, end: number): number {
    const plain = plainCasedWordEnd(units, start, end);
    if (plain > start) return plain;
    const word = wordEnd(units, start, end);
    if (word > start) return this.#contractions ? contractionEnd(units, word, end) : word;
    if ((classAt(units, start, end) & digit) !== 0) return digitsEnd(units, start, end, this.#digits);
    return symbolsOrSpaceEnd(units, start, end, wordClasses, true);
  }
}

/** End of one of the first two alternatives without its contraction, or `start`. */
function wordEnd(units: Uint16Array, start: number, end: number): number {
  const kind = classAt(units, start, end);
  const mayLead = (kind & (letter | digit)) === 0 && !isNewline(units[start] as number);
  if (mayLead) {
    const after = nextIndex(units, start, end);
    const led = after < end ? lowerEnd(units, after, end) : after;
    if (led > after) return led;
    // A mark can also begin the word itself; as it is in W, that always matches.
    if ((kind & mark) !== 0) return lowerEnd(units, start, end);
    return after < end ? orStart(upperEnd(units, after, end), after, start) : start;
  }
  if ((kind & letter) === 0) return start;
  const lower = lowerEnd(units, start, end);
  return lower > start ? lower : upperEnd(units, start, end);
}

function orStart(found: number, none: number, start: number): number {
  return found > none ? found : start;
}

/**
 * End of `U*W+`, or `start`. Without a W after the run of U, the run gives back down to its last character that is also in W, and
 * the match ends there.
 */
function lowerEnd(units: Uint16Array, start: number, end: number): number {
  let shared = start;
  let index = start;
  while (index < end) {
    const point = codePointAt(units, index, end);
    const kind = unicodeClasses[point] as number;
    if ((kind & (letter | mark)) === 0) return shared;
    if ((kind & lowerCase) !== 0) return lowerRunEnd(units, index, end);
    index += widthOf(point);
    if ((kind & upperCase) === 0) shared = index;
  }
  return shared;
}

/** End of `W+`. */
function lowerRunEnd(units: Uint16Array, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const point = codePointAt(units, index, end);
    const kind = unicodeClasses[point] as number;
    if ((kind & (letter | mark)) === 0 || (kind & upperCase) !== 0) break;
    index += widthOf(point);
  }
  return index;
}

/** End of `U+W*` where `U*W+` does not match: all that follows is in U alone. */
function upperEnd(units: Uint16Array, start: number, end: number): number {
  return runEnd(units, start, end, upperCase);
}
