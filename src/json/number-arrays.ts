import { Buffer } from "node:buffer";
import { FieldError } from "./fields/field-error.ts";
import { readI64List, readU32List, spaceEnd } from "./number-list.ts";

/** How a lifted array is read. */
export interface NumberArray {
  /** One u32 an item, or two of a signed 64-bit integer in two's complement, low first. */
  readonly kind: "u32" | "i64";
  readonly maxItems: number;
  /** Memory for a list that fits: the values are then valid until it is used again. Absent = each list has its own. */
  readonly scratch?: Uint32Array<ArrayBuffer>;
}

/** A body whose arrays of numbers were read straight from its bytes. */
export interface LiftedArrays {
  /** The body with an empty array in place of each lifted one; for `parseJson`, which checks all that was not lifted. */
  readonly rest: Buffer;
  readonly arrays: ReadonlyMap<string, Uint32Array>;
}

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
 * Reads the members of a body's outermost object that are arrays of integers without making a value of each item: 16,384 token
 * ids take a tenth of what a JSON parser takes (bench/route). A wanted member that is no array, and everything that is not
 * JSON, is left in `rest` for the parser to judge.
 * @param wanted members, by key
 * @throws FieldError for an item that is no such integer, a list that is too long, or a member that is given twice;
 *   JsonSyntaxError inside of a wanted array
 */
export function liftNumberArrays(
  body: Buffer,
  wanted: Readonly<Record<string, NumberArray | undefined>>,
): LiftedArrays {
  const arrays = new Map<string, Uint32Array>();
  const cuts: number[] = [];
  const take = (key: string, valueAt: number): number => {
    const array = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (array === undefined || body[valueAt] !== OPEN_ARRAY) return skipValue(body, valueAt);
    if (arrays.has(key)) throw new FieldError("is given twice", key);
    const { values, end } = readList(body, valueAt + 1, key, array);
    arrays.set(key, values);
    cuts.push(valueAt + 1, end - 1);
    return end;
  };
  visitMembers(body, take);
  return { rest: without(body, cuts), arrays };
}

function readList(body: Buffer, start: number, key: string, { kind, maxItems, scratch }: NumberArray) {
  try {
    return kind === "u32" ? readU32List(body, start, maxItems, scratch) : readI64List(body, start, maxItems);
  } catch (error) {
    throw error instanceof FieldError ? error.within(key) : error;
  }
}

/**
 * Goes over the members of the outermost object, as far as the text looks like one.
 * @param take given a key and where its value starts, returns where that ends, or -1: no further
 */
function visitMembers(bytes: Buffer, take: (key: string, valueAt: number) => number): void {
  let at = spaceEnd(bytes, 0);
  if (bytes[at] !== OPEN_OBJECT) return;
  do {
    at = spaceEnd(bytes, at + 1);
    const keyEnd = bytes[at] === QUOTE ? stringEnd(bytes, at) : -1;
    if (keyEnd < 0) return;
    const colon = spaceEnd(bytes, keyEnd);
    if (bytes[colon] !== COLON) return;
    const isShort = keyEnd - at <= maxKeyBytes;
    const valueEnd = take(isShort ? bytes.toString("latin1", at + 1, keyEnd - 1) : "", spaceEnd(bytes, colon + 1));
    if (valueEnd < 0) return;
    at = spaceEnd(bytes, valueEnd);
  } while (bytes[at] === COMMA);
}

/** Where a value ends, or -1. What it holds is not checked. */
function skipValue(bytes: Buffer, start: number): number {
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

function without(bytes: Buffer, cuts: readonly number[]): Buffer {
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
