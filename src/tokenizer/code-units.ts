import { unicodeClasses } from "./unicode-classes.ts";

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
