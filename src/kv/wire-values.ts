import type { U64 } from "./xxh3.ts";

/** A value of the right kind that is out of place: its event is passed over. */
export class WireValueError extends Error {
  override readonly name = "WireValueError";
}

export type WireMap = Readonly<Record<string, unknown>>;

const wide = new BigUint64Array(1);
const wideWords = new Uint32Array(wide.buffer);

export function isMap(value: unknown): value is WireMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

export function optionalString(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  throw new WireValueError(`expected a string, got ${typeof value}`);
}

export function optionalIndex(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  return index(value);
}

/** A small non-negative integer. */
export function index(value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new WireValueError("expected a non-negative integer");
}

export function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new WireValueError("expected an array");
}

export function optionalList(value: unknown): readonly unknown[] | undefined {
  return value === undefined || value === null ? undefined : list(value);
}

/**
 * A block hash as u64: an integer of 64 bits, signed ones by their bits; bytes by their last eight, big-endian, which is how
 * vLLM makes an integer of them (`VLLM_KV_EVENTS_USE_INT_BLOCK_HASHES`).
 */
export function blockHash(value: unknown): U64 {
  const out = new Uint32Array(2);
  writeBlockHash(value, out, 0);
  return { low: out[0] as number, high: out[1] as number };
}

/** Block hashes, two u32 each, low first. */
export function blockHashes(value: unknown): Uint32Array {
  const values = list(value);
  const out = new Uint32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) writeBlockHash(values[i], out, 2 * i);
  return out;
}

function writeBlockHash(value: unknown, out: Uint32Array, at: number): void {
  if (typeof value === "bigint") {
    if (value >= 1n << 64n || value < -(1n << 63n)) throw new WireValueError("block hash over 64 bits");
    wide[0] = value;
    out[at] = wideWords[0] as number;
    out[at + 1] = wideWords[1] as number;
  } else if (typeof value === "number" && Number.isSafeInteger(value)) {
    out[at] = value;
    out[at + 1] = Math.floor(value / 0x1_0000_0000);
  } else if (value instanceof Uint8Array && value.length > 0) {
    for (let i = Math.max(0, value.length - 8); i < value.length; i++) {
      out[at + 1] = ((out[at + 1] as number) << 8) | ((out[at] as number) >>> 24);
      out[at] = ((out[at] as number) << 8) | (value[i] as number);
    }
  } else {
    throw new WireValueError("not a block hash");
  }
}

/** Token ids: u32s, or the pairs of an Eagle model, which overlap by one token and come out as one run. */
export function tokenIds(value: unknown): { readonly tokenIds: Uint32Array; readonly isEagle: boolean } {
  const values = list(value);
  const isEagle = Array.isArray(values[0]);
  if (!isEagle) {
    const out = new Uint32Array(values.length);
    for (let i = 0; i < values.length; i++) out[i] = tokenId(values[i]);
    return { tokenIds: out, isEagle };
  }
  const out = new Uint32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    const pair = list(values[i]);
    if (pair.length !== 2) throw new WireValueError("expected a pair of tokens");
    out[i] = tokenId(pair[0]);
    out[i + 1] = tokenId(pair[1]);
  }
  return { tokenIds: out, isEagle };
}

function tokenId(value: unknown): number {
  if (typeof value === "number" && value >>> 0 === value) return value;
  throw new WireValueError("not a token id");
}
