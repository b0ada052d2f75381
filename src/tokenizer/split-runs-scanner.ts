import { classAt, codePointAt, isAsciiLetter, plainWordEnd, runEnd, widthOf } from "./code-units.ts";
import { digitsEnd, isNewline, nextIndex, spaceEnd } from "./pattern-parts.ts";
import { digit, letter, mark, punctuationOrSymbol, unicodeClasses, whiteSpace } from "./unicode-classes.ts";
import type { WordScanner } from "./word-scanner.ts";

const lettersAndMarks = letter | mark;
const maxDigits = 3;
const space = 0x20;

/**
 * The three splits of DeepSeek V3 and V4, one after the other: `\p{N}{1,3}`, then `[一-龥぀-ゟ゠-ヿ]+`, then inside what is left
 * between them and inside the second's matches
 * `[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
 * What no alternative matches (control and format characters) is a word as well, up to the next match.
 */
export class SplitRunsScanner implements WordScanner {
  #runEnd = -1;

  reset(): void {
    this.#runEnd = -1;
  }

  next(units: Uint16Array, start: number, end: number): number {
    if (start >= this.#runEnd) {
      if ((classAt(units, start, end) & digit) !== 0) return digitsEnd(units, start, end, maxDigits);
      this.#runEnd = splitRunEnd(units, start, end);
    }
    const limit = this.#runEnd;
    const plain = plainWordEnd(units, start, limit);
    if (plain > start) return plain;
    let word = matchEnd(units, start, limit);
    if (word > start) return word;
    do word = nextIndex(units, word, limit);
    while (word < limit && matchEnd(units, word, limit) === word);
    return word;
  }
}

/** End of the run of Chinese and Japanese, or of neither these nor digits, that begins at `start`. */
function splitRunEnd(units: Uint16Array, start: number, end: number): number {
  const wanted = isChineseOrKana(units[start] as number);
  let index = start;
  while (index < end) {
    const unit = units[index] as number;
    if (unit < 0x80) {
      if (wanted || (unit >= 0x30 && unit <= 0x39)) break;
      index++;
      continue;
    }
    const point = codePointAt(units, index, end);
    if (isChineseOrKana(point) !== wanted || ((unicodeClasses[point] as number) & digit) !== 0) break;
    index += widthOf(point);
  }
  return index;
}

/** `[一-龥぀-ゟ゠-ヿ]` */
function isChineseOrKana(point: number): boolean {
  return (point >= 0x4e00 && point <= 0x9fa5) || (point >= 0x3040 && point <= 0x30ff);
}

/** End of the third pattern's match at `start`, or `start`. */
function matchEnd(units: Uint16Array, start: number, end: number): number {
  const asciiWord = asciiWordEnd(units, start, end);
  if (asciiWord > start) return asciiWord;
  const kind = classAt(units, start, end);
  if ((kind & lettersAndMarks) !== 0) return runEnd(units, start, end, lettersAndMarks);
  const unit = units[start] as number;
  const after = nextIndex(units, start, end);
  const following = after < end ? classAt(units, after, end) : 0;
  const isSymbol = (kind & punctuationOrSymbol) !== 0;
  if ((following & lettersAndMarks) !== 0 && !isSymbol && !isNewline(unit)) {
    return runEnd(units, after, end, lettersAndMarks);
  }
  if (isSymbol || (unit === space && (following & punctuationOrSymbol) !== 0)) {
    return symbolsEnd(units, isSymbol ? start : after, end);
  }
  return (kind & whiteSpace) !== 0 ? spaceEnd(units, start, end) : start;
}

/** End of one ASCII punctuation character and the ASCII letters after it, or `start`. */
function asciiWordEnd(units: Uint16Array, start: number, end: number): number {
  const unit = units[start] as number;
  if (unit <= space || unit > 0x7e || isAsciiLetter(unit) || (unit >= 0x30 && unit <= 0x39)) return start;
  let index = start + 1;
  while (index < end && isAsciiLetter(units[index] as number)) index++;
  return index > start + 1 ? index : start;
}

/** End of `[\p{P}\p{S}]+[\r\n]*`. */
function symbolsEnd(units: Uint16Array, start: number, end: number): number {
  let index = runEnd(units, start, end, punctuationOrSymbol);
  while (index < end && isNewline(units[index] as number)) index++;
  return index;
}
