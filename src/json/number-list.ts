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
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const CLOSE_ARRAY = 0x5d;

const u32Range = "0 and 4294967295";
const i64Range = "-9223372036854775808 and 9223372036854775807";

/** Longest number that is looked at when it is refused. */
const maxNumberBytes = 64;

/**
 * Reads a list of u32 from the byte after its opening bracket, without making a value of each.
 * @param maxItems one item more is refused
 * @param scratch memory for the values, when it is at least as long as the list probably is and no longer than `maxItems`
 * @throws FieldError with the index of an item that is no such integer; JsonSyntaxError
 */
export function readU32List(
  bytes: Buffer,
  start: number,
  maxItems: number,
  scratch?: Uint32Array<ArrayBuffer>,
): NumberList {
  const from = spaceEnd(bytes, start);
  if (bytes[from] === CLOSE_ARRAY) return emptyList(from);
  const likely = Math.min(maxItems, 16 + ((bytes.length - start) >>> 2));
  const out = scratch !== undefined && scratch.length <= maxItems && likely <= scratch.length ? scratch : undefined;
  return readU32s(bytes, from, maxItems, out ?? new Uint32Array(likely));
}

function readU32s(bytes: Buffer, start: number, maxItems: number, out: Uint32Array<ArrayBuffer>): NumberList {
  const list = { at: start, count: 0, out };
  for (;;) {
    readShortItems(bytes, list);
    const at = spaceEnd(bytes, list.at);
    const value = longNumber(bytes, at, list.count);
    if (list.count === list.out.length) list.out = grown(list.out, list.count, maxItems);
    list.out[list.count++] = value;
    const end = numberEnd(bytes, at);
    const next = nextItem(bytes, end);
    if (next < 0) return { values: list.out.subarray(0, list.count), end: -next };
    if (next === 0) throw unended(bytes, at, end, list.count - 1, u32Range);
    list.at = next;
  }
}

/** A list that is being read: its items so far, and where the next one starts. */
interface GrowingList {
  at: number;
  count: number;
  out: Uint32Array<ArrayBuffer>;
}

/**
 * Takes items of one to six digits with a comma after them, which token ids are, as long as they come and there is room: in a
 * third of the time that it takes to look at each digit in a loop.
 */
function readShortItems(bytes: Buffer, list: GrowingList): void {
  const { out } = list;
  const lastShort = bytes.length - shortBytes;
  let { at, count } = list;
  while (at < lastShort && count < out.length) {
    const item = shortNumber(bytes, at);
    const end = at + (item & 7);
    if (item === 0 || bytes[end] !== COMMA) break;
    out[count++] = item >>> 3;
    at = bytes[end + 1] === SPACE ? end + 2 : end + 1;
  }
  list.at = at;
  list.count = count;
}

/** The number at `at`, of one to six digits, above three bits that tell how many; 0 = none, or another one. */
function shortNumber(bytes: Buffer, at: number): number {
  const a = ((bytes[at] as number) - ZERO) | 0;
  if (a >>> 0 > 9) return 0;
  const b = ((bytes[at + 1] as number) - ZERO) | 0;
  if (b >>> 0 > 9) return (a << 3) | 1;
  if (a === 0) return 0;
  const c = ((bytes[at + 2] as number) - ZERO) | 0;
  if (c >>> 0 > 9) return ((a * 10 + b) << 3) | 2;
  const d = ((bytes[at + 3] as number) - ZERO) | 0;
  if (d >>> 0 > 9) return ((a * 100 + b * 10 + c) << 3) | 3;
  const e = ((bytes[at + 4] as number) - ZERO) | 0;
  if (e >>> 0 > 9) return ((a * 1000 + b * 100 + c * 10 + d) << 3) | 4;
  const f = ((bytes[at + 5] as number) - ZERO) | 0;
  if (f >>> 0 > 9) return ((a * 10000 + b * 1000 + c * 100 + d * 10 + e) << 3) | 5;
  const g = ((bytes[at + 6] as number) - ZERO) | 0;
  return g >>> 0 > 9 ? ((a * 100000 + b * 10000 + c * 1000 + d * 100 + e * 10 + f) << 3) | 6 : 0;
}

/** Bytes that one step of `readShortItems` may look at. */
const shortBytes = 10;

/** @throws FieldError, JsonSyntaxError */
function longNumber(bytes: Buffer, first: number, index: number): number {
  const end = numberEnd(bytes, first);
  let value = 0;
  for (let at = first; at < end; at++) value = value * 10 + (bytes[at] as number) - ZERO;
  if (isU32(end - first, value, bytes[first])) return value;
  throw notAnInteger(bytes, first, index, u32Range);
}

/** The byte after a run of digits. */
function numberEnd(bytes: Buffer, first: number): number {
  let at = first;
  while ((bytes[at] as number) >= ZERO && (bytes[at] as number) <= NINE) at++;
  return at;
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
  let out = new Uint32Array(Math.min(64, 2 * maxItems));
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
