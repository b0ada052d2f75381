import type { Buffer } from "node:buffer";
import { FieldError } from "./fields/field-error.ts";
import { JsonSyntaxError } from "./json-syntax-error.ts";

/** A list of integers read from a text, and the byte after its closing bracket. */
export interface NumberList {
  readonly values: Uint32Array;
  readonly end: number;
}

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const CLOSE_ARRAY = 0x5d;

const u32Range = "0 and 4294967295";
const i64Range = "-9223372036854775808 and 9223372036854775807";

/** Longest number that is looked at when it is refused. */
const maxNumberBytes = 64;

/**
 * Reads a list of u32 from the byte after its opening bracket, without making a value of each.
 * @param maxItems one item more is refused
 * @throws FieldError with the index of an item that is no such integer; JsonSyntaxError
 */
export function readU32List(bytes: Buffer, start: number, maxItems: number): NumberList {
  const from = spaceEnd(bytes, start);
  return bytes[from] === CLOSE_ARRAY ? emptyList(from) : readU32s(bytes, from, maxItems);
}

function readU32s(bytes: Buffer, start: number, maxItems: number): NumberList {
  let out = new Uint32Array(64);
  let count = 0;
  let at = start;
  for (;;) {
    const first = at;
    let value = 0;
    for (;;) {
      const digit = (bytes[at] as number) - ZERO;
      if (!(digit >= 0 && digit <= 9)) break;
      value = value * 10 + digit;
      at++;
    }
    if (!isU32(at - first, value, bytes[first])) throw notAnInteger(bytes, first, count, u32Range);
    if (count === out.length) out = grown(out, count, maxItems);
    out[count++] = value;
    const next = nextItem(bytes, at);
    if (next < 0) return { values: out.subarray(0, count), end: -next };
    if (next === 0) throw unended(bytes, first, at, count - 1, u32Range);
    at = next;
  }
}

/**
 * As `readU32List`, of signed 64-bit integers: two words each in two's complement, low first.
 * @throws FieldError with the index of an item that is no such integer; JsonSyntaxError
 */
export function readI64List(bytes: Buffer, start: number, maxItems: number): NumberList {
  const from = spaceEnd(bytes, start);
  return bytes[from] === CLOSE_ARRAY ? emptyList(from) : readI64s(bytes, from, maxItems);
}

function emptyList(bracket: number): NumberList {
  return { values: new Uint32Array(0), end: bracket + 1 };
}

function readI64s(bytes: Buffer, start: number, maxItems: number): NumberList {
  let out = new Uint32Array(64);
  let words = 0;
  let at = start;
  for (;;) {
    if (words === out.length) out = grown(out, words, 2 * maxItems);
    const end = readI64(bytes, at, out, words);
    if (end < 0) throw notAnInteger(bytes, at, words / 2, i64Range);
    words += 2;
    const next = nextItem(bytes, end);
    if (next < 0) return { values: out.subarray(0, words), end: -next };
    if (next === 0) throw unended(bytes, at, end, words / 2 - 1, i64Range);
    at = next;
  }
}

function isU32(digits: number, value: number, first: number | undefined): boolean {
  return digits > 0 && digits <= 10 && value <= 0xffff_ffff && (digits === 1 || first !== ZERO);
}

/** @returns the byte after the integer; -1 when there is none */
function readI64(bytes: Buffer, start: number, out: Uint32Array, word: number): number {
  const isNegative = bytes[start] === MINUS;
  const first = isNegative ? start + 1 : start;
  let at = first;
  let low = 0;
  let high = 0;
  for (;;) {
    const digit = (bytes[at] as number) - ZERO;
    if (!(digit >= 0 && digit <= 9)) break;
    low = low * 10 + digit;
    high = high * 10 + Math.floor(low / 0x1_0000_0000);
    low = low >>> 0;
    at++;
  }
  const digits = at - first;
  const hasLeadingZero = bytes[first] === ZERO && (digits > 1 || isNegative);
  if (digits === 0 || digits > 19 || hasLeadingZero || exceeds(high, low, isNegative)) return -1;
  out[word] = isNegative ? -low : low;
  out[word + 1] = isNegative ? ~high + (low === 0 ? 1 : 0) : high;
  return at;
}

/** Whether a magnitude is beyond 2^63 - 1, or 2^63 when negative. */
function exceeds(high: number, low: number, isNegative: boolean): boolean {
  return high > 0x7fff_ffff && !(isNegative && high === 0x8000_0000 && low === 0);
}

/** From the byte after an item: where the next one starts, or the byte after the closing bracket, negated; 0 = neither. */
function nextItem(bytes: Buffer, end: number): number {
  let at = end;
  let byte = bytes[at];
  if (byte !== COMMA && byte !== CLOSE_ARRAY) {
    at = spaceEnd(bytes, at);
    byte = bytes[at];
  }
  if (byte === CLOSE_ARRAY) return -(at + 1);
  if (byte !== COMMA) return 0;
  at++;
  return (bytes[at] as number) <= 0x20 ? spaceEnd(bytes, at) : at;
}

export function spaceEnd(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; byte = bytes[at]) at++;
  return at;
}

/** What is wrong after the digits of an item: it goes on as another number, or the list does not go on. */
function unended(bytes: Buffer, start: number, end: number, index: number, range: string): Error {
  if (/[.eE]/.test(String.fromCharCode(bytes[end] ?? 0))) return notAnInteger(bytes, start, index, range);
  return new JsonSyntaxError("`,` or `]` expected", spaceEnd(bytes, end));
}

/** What is wrong with an item: another type of value, or no value at all. */
function notAnInteger(bytes: Buffer, at: number, index: number, range: string): Error {
  const text = bytes.toString("latin1", at, at + maxNumberBytes);
  const isOtherValue = /^(-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\d.eE+-])|-?[1-9]\d{30}|["[{tfn])/.test(text);
  if (isOtherValue) return new FieldError(`must be an integer between ${range}`).within(index);
  return new JsonSyntaxError("a JSON value expected", Math.min(at, bytes.length));
}

function grown(array: Uint32Array, words: number, maxWords: number): Uint32Array<ArrayBuffer> {
  if (words >= maxWords) throw new FieldError("has too many items");
  const larger = new Uint32Array(Math.min(2 * words, maxWords));
  larger.set(array);
  return larger;
}
