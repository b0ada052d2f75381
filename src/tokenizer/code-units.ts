import { unicodeClasses } from "./unicode-classes.ts";

const space = 0x20;
const apostrophe = 0x27;

/** Code point at `index` of UTF-16 units that end at `end`; a lone surrogate is its own value. */
export function codePointAt(units: Uint16Array, index: number, end: number): number {
  const unit = units[index] as number;
  if (unit < 0xd800 || unit > 0xdbff || index + 1 >= end) return unit;
  const low = units[index + 1] as number;
  return low < 0xdc00 || low > 0xdfff ? unit : 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
}

/** Units that a code point takes. */
export function widthOf(codePoint: number): 1 | 2 {
  return codePoint > 0xffff ? 2 : 1;
}

/** Class bits (unicode-classes.ts) of the code point at `index`. */
export function classAt(units: Uint16Array, index: number, end: number): number {
  return unicodeClasses[codePointAt(units, index, end)] as number;
}

/** End of the run of code points from `start` whose class has a bit of `mask`. */
export function runEnd(units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  while (index < end) {
    const unit = units[index] as number;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const point = codePointAt(units, index, end);
      if (((unicodeClasses[point] as number) & mask) === 0) return index;
      index += widthOf(point);
    } else if (((unicodeClasses[unit] as number) & mask) === 0) {
      return index;
    } else {
      index++;
    }
  }
  return index;
}

/** End of the run of code points from `start` whose class has no bit of `mask`. */
export function runEndWithout(units: Uint16Array, start: number, end: number, mask: number): number {
  let index = start;
  while (index < end) {
    const point = codePointAt(units, index, end);
    if (((unicodeClasses[point] as number) & mask) !== 0) return index;
    index += widthOf(point);
  }
  return index;
}

/** End of at most `limit` code points from `start` whose class has a bit of `mask`. */
export function limitedRunEnd(units: Uint16Array, start: number, end: number, mask: number, limit: number): number {
  let index = start;
  for (let count = 0; count < limit && index < end; count++) {
    const point = codePointAt(units, index, end);
    if (((unicodeClasses[point] as number) & mask) === 0) break;
    index += widthOf(point);
  }
  return index;
}

/**
 * End of `[ ]?[A-Za-z]+` at `start`, when another ASCII character or nothing follows, else `start`: most words of most texts, about which no
 * table has to be asked.
 */
export function plainWordEnd(units: Uint16Array, start: number, end: number): number {
  const first = units[start] === space ? start + 1 : start;
  let index = first;
  while (index < end && isAsciiLetter(units[index] as number)) index++;
  return index > first && isAsciiOrEnd(units, index, end) ? index : start;
}

/** As `plainWordEnd` of `[ ]?[A-Z]?[a-z]+`, when no apostrophe follows either. */
export function plainCasedWordEnd(units: Uint16Array, start: number, end: number): number {
  let first = units[start] === space ? start + 1 : start;
  if (first < end && isAsciiUpper(units[first] as number)) first++;
  let index = first;
  while (index < end && isAsciiLower(units[index] as number)) index++;
  return index > first && isAsciiOrEnd(units, index, end) && units[index] !== apostrophe ? index : start;
}

function isAsciiOrEnd(units: Uint16Array, index: number, end: number): boolean {
  return index === end || (units[index] as number) < 0x80;
}

export function isAsciiLetter(unit: number): boolean {
  return isAsciiLower(unit | 0x20);
}

function isAsciiLower(unit: number): boolean {
  return unit >= 0x61 && unit <= 0x7a;
}

function isAsciiUpper(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a;
}
