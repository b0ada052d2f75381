import type { BlockMmInfo } from "./block-hashes.ts";
import { mediaHash } from "./block-hashes.ts";
import type { MsgpackCursor } from "./msgpack-cursor.ts";
import { MsgpackError } from "./msgpack-cursor.ts";

/** Values read in one step. */
const stepValues = 8_192;

/** A value that is there and makes no sense: its event is passed over. */
export const malformed = Symbol("malformed");
export type Malformed = typeof malformed;

/** A reading that can be interrupted: each `next` does a bounded part of it. */
export type Steps<T> = Generator<void, T, undefined>;

/** Passes over values, and all that is in them. */
export function* skipValues(cursor: MsgpackCursor, count: number): Steps<void> {
  for (let left = cursor.skip(count, stepValues); left > 0; left = cursor.skip(left, stepValues)) yield;
}

/** Passes over one value; returns that it is none of those that are understood. */
function* skipMalformed(cursor: MsgpackCursor): Steps<Malformed> {
  yield* skipValues(cursor, 1);
  return malformed;
}

/**
 * Block hashes, two u32 each, low first: integers of 64 bits, signed ones by their bits; bytes by their last eight, big-endian,
 * which is how vLLM makes an integer of them (`VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES`).
 */
export function* readHashes(cursor: MsgpackCursor): Steps<Uint32Array | Malformed> {
  const count = cursor.takeArray();
  if (count < 0) return yield* skipMalformed(cursor);
  checkCount(cursor, count);
  const out = new Uint32Array(2 * count);
  let isGood = true;
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    if (readHash(cursor, out, 2 * i)) continue;
    isGood = false;
    yield* skipValues(cursor, 1);
  }
  return isGood ? out : malformed;
}

/** Reads one block hash into `out`; returns false, having read nothing, when there is none. */
export function readHash(cursor: MsgpackCursor, out: Uint32Array, at: number): boolean {
  if (cursor.takeLong(out, at)) return true;
  if (cursor.kind === "float") return readFloatHash(cursor, out, at);
  const bytes = cursor.takeBytes(1);
  if (bytes === undefined) return false;
  let low = 0;
  let high = 0;
  for (let i = Math.max(0, bytes.length - 8); i < bytes.length; i++) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | (bytes[i] as number);
  }
  out[at] = low;
  out[at + 1] = high;
  return true;
}

/** Encoders without 64-bit integers write them as floats, exact up to 53 bits. Anything else stays where it is. */
function readFloatHash(cursor: MsgpackCursor, out: Uint32Array, at: number): boolean {
  const value = cursor.peekNumber();
  if (!Number.isSafeInteger(value)) return false;
  cursor.skip(1);
  out[at] = value;
  out[at + 1] = Math.floor(value / 0x1_0000_0000);
  return true;
}

export interface TokenValues {
  readonly tokenIds: Uint32Array;
  readonly isEagle: boolean;
}

/** Token ids: u32s, or the pairs of an Eagle model, which overlap by one token and come out as one run. */
export function* readTokens(cursor: MsgpackCursor): Steps<TokenValues | Malformed> {
  const count = cursor.takeArray();
  if (count < 0) return yield* skipMalformed(cursor);
  checkCount(cursor, count);
  if (count > 0 && cursor.kind === "array") return yield* readPairs(cursor, count);
  const tokenIds = new Uint32Array(count);
  let isGood = true;
  for (let done = 0; done < count; ) {
    const wanted = Math.min(stepValues, count - done);
    const read = cursor.takeWords(tokenIds, done, wanted);
    done += read;
    if (read < wanted && !(yield* readOddToken(cursor, tokenIds, done++))) isGood = false;
    if (done < count) yield;
  }
  return isGood ? { tokenIds, isEagle: false } : malformed;
}

function* readPairs(cursor: MsgpackCursor, count: number): Steps<TokenValues | Malformed> {
  const tokenIds = new Uint32Array(count + 1);
  let isGood = true;
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    const size = cursor.takeArray();
    if (size !== 2) {
      yield* skipValues(cursor, size < 0 ? 1 : size);
      isGood = false;
      continue;
    }
    for (let at = i; at < i + 2; at++) {
      if (cursor.takeWords(tokenIds, at, 1) === 0 && !(yield* readOddToken(cursor, tokenIds, at))) isGood = false;
    }
  }
  return isGood ? { tokenIds, isEagle: true } : malformed;
}

/** A token written in more bytes than it needs, or something else, which is passed over; returns whether it is a token. */
function* readOddToken(cursor: MsgpackCursor, out: Uint32Array, at: number): Steps<boolean> {
  const value = cursor.takeInteger();
  if (value === undefined) {
    yield* skipValues(cursor, 1);
    return false;
  }
  out[at] = value.low;
  return value.high === 0;
}

/** A text; null is undefined. */
export function* readText(cursor: MsgpackCursor): Steps<string | Malformed | undefined> {
  const text = cursor.takeString();
  return text === undefined && !cursor.takeNil() ? yield* skipMalformed(cursor) : text;
}

/** A small non-negative integer; null is undefined. */
export function* readIndex(cursor: MsgpackCursor): Steps<number | Malformed | undefined> {
  if (cursor.takeNil()) return undefined;
  const number = cursor.kind === "integer" ? cursor.takeNumber() : yield* skipMalformed(cursor);
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : malformed;
}

/** What the extra keys of a store's blocks say. */
export interface ExtraKeys {
  /** Strings among the keys of the first block, in order. */
  readonly ofFirst: readonly string[];
  /** Media of each block by Dynamo's mark. */
  readonly mmInfos: readonly (BlockMmInfo | undefined)[] | undefined;
}

/** Dynamo's own mark of a media identity: 16 hexadecimal digits and 48 zeros. Other 64-digit keys are the engine's. */
const mediaMark = /^[0-9a-f]{16}0{48}$/i;

/** Keys of each block: null, or a list of strings, pairs of a string and an offset, and others that mean nothing here. */
export function* readExtraKeys(cursor: MsgpackCursor): Steps<ExtraKeys | undefined | Malformed> {
  if (cursor.takeNil()) return undefined;
  const count = cursor.takeArray();
  if (count < 0) return yield* skipMalformed(cursor);
  let ofFirst: readonly string[] = [];
  const mmInfos: (BlockMmInfo | undefined)[] = [];
  let hasMedia = false;
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    if (cursor.takeNil()) continue;
    const keys = yield* readKeys(cursor);
    if (i === 0) ofFirst = keys;
    const info = mediaOf(keys);
    if (info === undefined) continue;
    mmInfos[i] = info;
    hasMedia = true;
  }
  return { ofFirst, mmInfos: hasMedia ? mmInfos : undefined };
}

function* readKeys(cursor: MsgpackCursor): Steps<string[]> {
  const keys: string[] = [];
  const count = cursor.takeArray();
  if (count < 0) yield* skipValues(cursor, 1);
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    const size = cursor.takeArray();
    const left = size < 0 ? 1 : size;
    const key = left === 0 ? undefined : cursor.takeString();
    if (key !== undefined) keys.push(key);
    yield* skipValues(cursor, key === undefined ? left : left - 1);
  }
  return keys;
}

function mediaOf(keys: readonly string[]): BlockMmInfo | undefined {
  const hashes = keys.flatMap((key) => {
    const hash = mediaMark.test(key) ? mediaHash(key) : undefined;
    return hash === undefined ? [] : [hash.low, hash.high];
  });
  return hashes.length === 0 ? undefined : { hashes: Uint32Array.from(hashes) };
}

/** Media of each block as Dynamo's senders list them: null, or `{mm_objects: [{mm_hash}]}`. */
export function* readMmInfos(
  cursor: MsgpackCursor,
): Steps<readonly (BlockMmInfo | undefined)[] | undefined | Malformed> {
  if (cursor.takeNil()) return undefined;
  const count = cursor.takeArray();
  if (count < 0) return yield* skipMalformed(cursor);
  const infos: (BlockMmInfo | undefined)[] = [];
  let isGood = true;
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    const info = yield* readMmInfo(cursor);
    if (info === malformed) isGood = false;
    else infos[i] = info;
  }
  if (!isGood) return malformed;
  return infos.some((info) => info !== undefined) ? infos : undefined;
}

function* readMmInfo(cursor: MsgpackCursor): Steps<BlockMmInfo | undefined | Malformed> {
  const pairs = cursor.takeMap();
  if (pairs < 0) {
    yield* skipValues(cursor, 1);
    return undefined;
  }
  const hashes: number[] = [];
  let isGood = false;
  for (let i = 0; i < pairs; i++) {
    const key = yield* readKey(cursor);
    const count = key === "mm_objects" ? cursor.takeArray() : -1;
    if (count >= 0) isGood = yield* readMmObjects(cursor, count, hashes);
    else yield* skipValues(cursor, 1);
  }
  if (!isGood) return malformed;
  return hashes.length === 0 ? undefined : { hashes: Uint32Array.from(hashes) };
}

const mmHash = new Uint32Array(2);

function* readMmObjects(cursor: MsgpackCursor, count: number, hashes: number[]): Steps<boolean> {
  const before = hashes.length;
  for (let i = 0; i < count; i++) {
    if (i % stepValues === stepValues - 1) yield;
    const pairs = cursor.takeMap();
    if (pairs < 0) yield* skipValues(cursor, 1);
    for (let pair = 0; pair < pairs; pair++) {
      const key = yield* readKey(cursor);
      if (key === "mm_hash" && readHash(cursor, mmHash, 0)) hashes.push(mmHash[0] as number, mmHash[1] as number);
      else yield* skipValues(cursor, 1);
    }
  }
  return hashes.length - before === 2 * count;
}

/** A map's key; undefined = one that is no string, which is passed over. */
export function* readKey(cursor: MsgpackCursor): Steps<string | undefined> {
  const key = cursor.takeString();
  if (key === undefined) yield* skipValues(cursor, 1);
  return key;
}

/** Every value takes a byte: no array is made for more than there can be. */
function checkCount(cursor: MsgpackCursor, count: number): void {
  if (count > cursor.left) throw new MsgpackError("the bytes end too early");
}
