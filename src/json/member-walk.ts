import { Buffer } from "node:buffer";
import { spaceEnd } from "./number-list.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Longest key that is looked up, in bytes. */
const maxKeyBytes = 32;

/**
 * Goes over the members of an object, as far as the text looks like one. A key that is longer than any that is looked for is given as "".
 * @param start where the object begins; white space may stand before it
 * @param take given a key and where its value starts, returns where that ends, or -1: no further
 * @returns where the object ends, or -1
 */
export function visitMembers(bytes: Buffer, start: number, take: (key: string, valueAt: number) => number): number {
  let at = spaceEnd(bytes, start);
  if (bytes[at] !== OPEN_OBJECT) return -1;
  do {
    at = spaceEnd(bytes, at + 1);
    const keyEnd = bytes[at] === QUOTE ? stringEnd(bytes, at) : -1;
    if (keyEnd < 0) return -1;
    const colon = spaceEnd(bytes, keyEnd);
    if (bytes[colon] !== COLON) return -1;
    const isShort = keyEnd - at <= maxKeyBytes;
    const valueEnd = take(isShort ? bytes.toString("latin1", at + 1, keyEnd - 1) : "", spaceEnd(bytes, colon + 1));
    if (valueEnd < 0) return -1;
    at = spaceEnd(bytes, valueEnd);
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_OBJECT ? at + 1 : -1;
}

/** Where a value ends, or -1. What it holds is not checked. */
export function skipValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  return first === OPEN_OBJECT || first === OPEN_ARRAY ? containerEnd(bytes, start) : scalarEnd(bytes, start);
}

function containerEnd(bytes: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      if (at < 0) return -1;
      continue;
    }
    at++;
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++;
    else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return at;
  }
  return -1;
}

function scalarEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== undefined && byte > 0x20 && byte !== COMMA && byte !== CLOSE_OBJECT; ) {
    byte = bytes[++at];
  }
  return at;
}

/** From the opening quote to after the closing one; -1 when there is none. */
function stringEnd(bytes: Buffer, start: number): number {
  for (let quote = bytes.indexOf(QUOTE, start + 1); quote >= 0; quote = bytes.indexOf(QUOTE, quote + 1)) {
    let backslashes = 0;
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return -1;
}

/** The text without some parts. @param cuts start and end of each, in order */
export function without(bytes: Buffer, cuts: readonly number[]): Buffer {
  if (cuts.length === 0) return bytes;
  const parts: Buffer[] = [];
  let from = 0;
  for (let i = 0; i < cuts.length; i += 2) {
    parts.push(bytes.subarray(from, cuts[i]));
    from = cuts[i + 1] as number;
  }
  parts.push(bytes.subarray(from));
  return Buffer.concat(parts);
}
