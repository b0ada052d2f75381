import type { Buffer } from "node:buffer";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const COMMA = 0x2c;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/**
 * Values and keys of a JSON text that stands in a string of another one, without reading it: its separators outside of its own strings.
 * @param start first byte after the string's quote
 * @param end its closing quote
 * @param most where counting ends
 */
export function embeddedValues(bytes: Buffer, start: number, end: number, most: number): number {
  let [count, isInString, at] = [0, false, start];
  while (at < end && count <= most) {
    const character = characterAt(bytes, at);
    at += widthAt(bytes, at);
    if (character === QUOTE) isInString = !isInString;
    else if (!isInString) count += isSeparator(character) ? 1 : 0;
    // What the text itself escapes is neither a quote nor a separator.
    else if (character === BACKSLASH) at += widthAt(bytes, at);
  }
  return count;
}

/** What stands before a value or behind a key. */
function isSeparator(character: number): boolean {
  return character === COMMA || character === COLON || character === BRACKET || character === BRACE;
}

/** The character at a place, as far as it matters here: of one with several bytes the first, of an escape its letter. */
function characterAt(bytes: Buffer, at: number): number {
  const unit = bytes[at] as number;
  if (unit !== BACKSLASH) return unit;
  const letter = bytes[at + 1] as number;
  return letter === LETTER_U ? Number.parseInt(bytes.toString("latin1", at + 2, at + 6), 16) : letter;
}

/** Bytes of what stands at a place. */
function widthAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH) return 1;
  return bytes[at + 1] === LETTER_U ? 6 : 2;
}
