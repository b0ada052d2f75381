import { Buffer } from "node:buffer";

const beyondLatin1 = /[^\0-\xff]/;

/** V8 copies shorter parts of a string instead of referring to it. */
const minPartUnits = 13;

/** An equal string that owns its characters, in one byte each where that is possible: kept as a key, a part of a string would keep all of it alive. */
export function ownString(text: string): string {
  if (text.length < minPartUnits) return text;
  const encoding = beyondLatin1.test(text) ? "utf16le" : "latin1";
  return Buffer.from(text, encoding).toString(encoding);
}

/** The beginning of a text, which does not keep the rest of it alive. @param most in UTF-16 code units */
export function ownStart(text: string, most: number): string {
  return text.length > most ? ownString(text.slice(0, most)) : text;
}
