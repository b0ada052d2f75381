import { Buffer } from "node:buffer";

const beyondLatin1 = /[^\0-\xff]/;

/** A copy that owns its characters, in one byte each where that is possible: kept as a key, a slice would keep its parent alive. */
export function ownString(text: string): string {
  const encoding = beyondLatin1.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}
