import type { Buffer } from "node:buffer";
import { JsonSyntaxError } from "./json-syntax-error.ts";

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

const simpleEscapes = new Map([
  [0x22, '"'],
  [BACKSLASH, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

/**
 * Text of a string literal that has escapes.
 * @param start first byte after the opening quote
 * @param end byte of the closing quote
 * @param isRawControlAllowed takes a backslash before a raw control character for itself, as the lenient reading does
 * @throws JsonSyntaxError on an unknown escape, bad hex digits, a lone surrogate
 */
export function unescapeString(bytes: Buffer, start: number, end: number, isRawControlAllowed: boolean): string {
  let text = "";
  let from = start;
  for (let at = bytes.indexOf(BACKSLASH, start); at !== -1 && at < end; at = bytes.indexOf(BACKSLASH, from)) {
    text += bytes.toString("utf8", from, at);
    const kind = bytes[at + 1] as number;
    const unescaped = kind === LETTER_U ? unicodeEscape(bytes, at) : simpleEscape(kind, at, isRawControlAllowed);
    text += unescaped;
    // An escape pair makes two code units from twelve bytes.
    from = at + (kind === LETTER_U ? 6 * unescaped.length : 2);
  }
  return text + bytes.toString("utf8", from, end);
}

/** The character of `\uXXXX`, or of two that make a surrogate pair. */
function unicodeEscape(bytes: Buffer, at: number): string {
  const unit = hexUnit(bytes, at);
  if (!isHighSurrogate(unit) && !isLowSurrogate(unit)) return String.fromCharCode(unit);
  const low = isHighSurrogate(unit) ? lowSurrogate(bytes, at + 6) : undefined;
  if (low === undefined) throw new JsonSyntaxError("lone surrogate in a string", at);
  return String.fromCharCode(unit, low);
}

function simpleEscape(kind: number, at: number, isRawControlAllowed: boolean): string {
  if (kind < 0x20 && isRawControlAllowed) return `\\${String.fromCharCode(kind)}`;
  const character = simpleEscapes.get(kind);
  if (character === undefined) throw new JsonSyntaxError("unknown escape in a string", at);
  return character;
}

/** The code unit of the `\uXXXX` at `at`. */
function hexUnit(bytes: Buffer, at: number): number {
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const value = hexValue(bytes[digit]);
    if (value === -1) throw new JsonSyntaxError("four hex digits expected after \\u", at);
    unit = unit * 16 + value;
  }
  return unit;
}

function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function lowSurrogate(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return undefined;
  const unit = hexUnit(bytes, at);
  return isLowSurrogate(unit) ? unit : undefined;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
