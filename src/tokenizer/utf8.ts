import { codePointAt, widthOf } from "./code-units.ts";

/**
 * Writes the UTF-8 bytes of `units[start, end)`, one an element; lone surrogates as U+FFFD.
 * @param out at least 3 elements a unit
 * @returns how many bytes
 */
export function writeUtf8(units: Uint16Array, start: number, end: number, out: Int32Array): number {
  let count = 0;
  for (let index = start; index < end; ) {
    const point = codePointAt(units, index, end);
    index += widthOf(point);
    if (point < 0x80) out[count++] = point;
    else count = writeMultibyte(point, out, count);
  }
  return count;
}

function writeMultibyte(codePoint: number, out: Int32Array, start: number): number {
  const point = codePoint >= 0xd800 && codePoint <= 0xdfff ? 0xfffd : codePoint;
  let count = start;
  if (point < 0x800) {
    out[count++] = 0xc0 | (point >> 6);
  } else {
    if (point < 0x1_0000) {
      out[count++] = 0xe0 | (point >> 12);
    } else {
      out[count++] = 0xf0 | (point >> 18);
      out[count++] = 0x80 | ((point >> 12) & 0x3f);
    }
    out[count++] = 0x80 | ((point >> 6) & 0x3f);
  }
  out[count++] = 0x80 | (point & 0x3f);
  return count;
}
