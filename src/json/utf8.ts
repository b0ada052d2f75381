import type { Buffer } from "node:buffer";
import { isUtf8 } from "node:buffer";

/** First byte that is not part of a well-formed UTF-8 sequence; -1 when all are. O(n), for the error message only. */
export function firstInvalidUtf8(bytes: Buffer): number {
  if (isUtf8(bytes)) return -1;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] as number);
    if (length === 0 || !isUtf8(bytes.subarray(at, at + length)) || at + length > bytes.length) return at;
    at += length;
  }
  return -1;
}

/** Length that a lead byte announces; 0 for a byte that cannot lead. */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
