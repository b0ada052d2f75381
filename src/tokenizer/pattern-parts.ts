import { classAt, codePointAt, limitedRunEnd, runEnd, runEndWithout, widthOf } from "./code-units.ts";
import { digit, whiteSpace } from "./unicode-classes.ts";

const apostrophe = 0x27;
const longS = 0x17f;
const slash = 0x2f;
const space = 0x20;

/** CR or LF. */
export function isNewline(unit: number): boolean {
  return unit === 10 || unit === 13;
}

/**
 * End of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `start`, or `start`. Without case, `s` has a third form, U+017F; no other letter here
 * has one.
 */
export function contractionEnd(units: Uint16Array, start: number, end: number): number {
  if (start + 1 >= end || units[start] !== apostrophe) return start;
  const first = units[start + 1] as number;
  if (first === longS) return start + 2;
  if (first > 0x7f) return start;
  const letter = first | 0x20;
  if (isOneLetterContraction(letter)) return start + 2;
  const second = start + 2 < end ? (units[start + 2] as number) : 0;
  if (second > 0x7f || !isTwoLetterContraction(letter, second | 0x20)) return start;
  return start + 3;
}

/** s, t, m, d */
function isOneLetterContraction(letter: number): boolean {
  return letter === 0x73 || letter === 0x74 || letter === 0x6d || letter === 0x64;
}

/** re, ve, ll */
function isTwoLetterContraction(letter: number, second: number): boolean {
  if (letter === 0x6c) return second === 0x6c;
  return second === 0x65 && (letter === 0x72 || letter === 0x76);
}

/** End of `\p{N}{1,limit}` at `start`, where a digit stands. */
export function digitsEnd(units: Uint16Array, start: number, end: number, limit: number): number {
  return limitedRunEnd(units, start, end, digit, limit);
}

/**
 * End of ` ?[^wordClasses]+[\r\n]*`, `\s*[\r\n]+`, `\s+(?!\S)` or `\s+` at `start`, tried in this order, where neither a letter nor a digit stands.
 * @param wordClasses classes that end a run of symbols; white space is among them
 * @param takesSlashes whether the tail is `[\r\n/]*`
 */
export function symbolsOrSpaceEnd(
  units: Uint16Array,
  start: number,
  end: number,
  wordClasses: number,
  takesSlashes: boolean,
): number {
  const begin = units[start] === space ? start + 1 : start;
  if (begin < end && (classAt(units, begin, end) & wordClasses) === 0) {
    const symbols = runEndWithout(units, begin, end, wordClasses);
    return tailEnd(units, symbols, end, takesSlashes);
  }
  return spaceEnd(units, start, end);
}

function tailEnd(units: Uint16Array, start: number, end: number, takesSlashes: boolean): number {
  let index = start;
  while (index < end) {
    const unit = units[index] as number;
    if (!isNewline(unit) && !(takesSlashes && unit === slash)) break;
    index++;
  }
  return index;
}

/** End of `\s*[\r\n]+`, `\s+(?!\S)` or `\s+` at `start`, where white space stands. */
export function spaceEnd(units: Uint16Array, start: number, end: number): number {
  const run = runEnd(units, start, end, whiteSpace);
  for (let index = run - 1; index >= start; index--) {
    if (isNewline(units[index] as number)) return index + 1;
  }
  // The last space goes with what follows it. White space is never outside the BMP.
  return run === end || run - start === 1 ? run : run - 1;
}

/** Index after the code point at `start`. */
export function nextIndex(units: Uint16Array, start: number, end: number): number {
  return start + widthOf(codePointAt(units, start, end));
}
