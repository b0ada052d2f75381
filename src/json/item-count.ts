import type { Buffer } from "node:buffer";
import type { ByteSpan } from "./json-value.ts";
import { spaceEnd, stringEnd } from "./root-members.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
/** Bytes between two steps: a tenth of a millisecond. */
const stepBytes = 65_536;

/**
 * Number of items of an array that is known to be JSON, without a value of each; -1 when the span holds no array. Yields between steps of a
 * tenth of a millisecond.
 */
export function* itemCount(bytes: Buffer, { start, end }: ByteSpan): Generator<void, number> {
  if (bytes[start] !== 0x5b) return -1;
  if (bytes[spaceEnd(bytes, start + 1)] === 0x5d) return 0;
  let [depth, commas, nextYield] = [0, 0, start + stepBytes];
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    else if (byte === COMMA && depth === 1) commas++;
    else depth += depthChange(byte);
    if (at < nextYield) continue;
    nextYield = at + stepBytes;
    yield;
  }
  return commas + 1;
}

function depthChange(byte: number): number {
  if (byte === 0x5b || byte === 0x7b) return 1;
  return byte === 0x5d || byte === 0x7d ? -1 : 0;
}
