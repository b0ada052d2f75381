import { Buffer } from "node:buffer";
import { type U64, Xxh3 } from "./xxh3.ts";

/** Hashes of the complete blocks of a prompt. Both arrays hold two u32 a block, low word first; length = 2 * count. */
export interface BlockHashes {
  readonly count: number;
  /** Block hash: of the block's own tokens. */
  readonly local: Uint32Array;
  /** Sequence hash: of the block and everything before it. */
  readonly sequence: Uint32Array;
}

/** Multimodal objects of one block. */
export interface BlockMmInfo {
  /** Identity hashes of the objects that touch the block, two u32 each, low first; any order. */
  readonly hashes: Uint32Array;
}

/** What else than the tokens names a block. */
export interface HashOptions {
  /** Tokens in a block. 0 = no blocks. */
  readonly blockSize: number;
  /** Name of the LoRA adapter; "" is as absent. */
  readonly loraName?: string | undefined;
  /** Cache namespace; "" is as absent. */
  readonly cacheSalt?: string | undefined;
  /** Eagle models hash a window of one token more than the block. Default false. */
  readonly isEagle?: boolean | undefined;
  /** Per block, undefined or absent = text only. */
  readonly blockMmInfos?: readonly (BlockMmInfo | undefined)[] | undefined;
}

// The scratch memory of one hasher; no state outlives a call.
const xxh3 = new Xxh3();
const baseSeed: U64 = { low: 1337, high: 0 };
const zeroSeed: U64 = { low: 0, high: 0 };
const saltSeed: U64 = { low: 1, high: 0 };
const utf8 = new TextEncoder();

/**
 * Hashes the complete blocks of `tokenIds`; a partial tail is left out. Must match dynamo@1.6.1
 * `compute_block_hash_for_seq` and `compute_seq_hash_for_block`. Throws RangeError for a block size that is not a
 * non-negative integer, or over 4 Mi tokens.
 */
export function hashBlocks(tokenIds: Uint32Array, options: HashOptions): BlockHashes {
  const count = completeBlocks(tokenIds.length, options);
  const local = new Uint32Array(2 * count);
  const sequence = new Uint32Array(2 * count);
  hashInto(tokenIds, options, local, sequence);
  return { count, local, sequence };
}

/** As `hashBlocks`, the block hashes alone: for blocks whose place in a prompt is not known. */
export function hashLocalBlocks(tokenIds: Uint32Array, options: HashOptions): Uint32Array {
  const local = new Uint32Array(2 * completeBlocks(tokenIds.length, options));
  hashInto(tokenIds, options, local, undefined);
  return local;
}

/**
 * Hashes blocks that continue `parent`, which is undefined before a prompt's first one. Both outputs hold two u32 a block.
 * @param tokenIds of as many blocks as `local` has room for
 */
export function hashBlocksAfter(
  parent: U64 | undefined,
  tokenIds: Uint32Array,
  blockSize: number,
  seed: U64,
  local: Uint32Array,
  sequence: Uint32Array,
): void {
  const windows = { count: local.length >>> 1, windowTokens: blockSize, strideTokens: blockSize };
  xxh3.hashWindows(tokenIds, windows, seed, local, sequence, parent);
}

/** How many blocks so many tokens fill. Throws RangeError for a block size that is not a non-negative integer. */
export function completeBlocks(
  tokens: number,
  { blockSize, isEagle = false }: Pick<HashOptions, "blockSize" | "isEagle">,
): number {
  if (!(Number.isInteger(blockSize) && blockSize >= 0)) {
    throw new RangeError(`blockSize must be an integer >= 0, got ${blockSize}`);
  }
  const usable = isEagle ? Math.max(0, tokens - 1) : tokens;
  return blockSize === 0 ? 0 : Math.floor(usable / blockSize);
}

function hashInto(
  tokenIds: Uint32Array,
  options: HashOptions,
  local: Uint32Array,
  sequence: Uint32Array | undefined,
): void {
  const count = local.length >>> 1;
  if (count === 0) return;
  const { blockSize, isEagle = false, blockMmInfos } = options;
  const seed = hashSeed(options);
  const windows = { count, windowTokens: isEagle ? blockSize + 1 : blockSize, strideTokens: blockSize };
  const hasMedia = blockMmInfos?.some((block) => block !== undefined && block.hashes.length > 0) ?? false;
  xxh3.hashWindows(tokenIds, windows, seed, local, hasMedia ? undefined : sequence);
  if (!hasMedia) return;
  for (let i = 0; i < count; i++) {
    const hashes = blockMmInfos?.[i]?.hashes;
    if (hashes === undefined || hashes.length === 0) continue;
    const from = i * blockSize;
    const hash = xxh3.hashBytes(mediaBytes(tokenIds.subarray(from, from + windows.windowTokens), hashes), seed);
    local[2 * i] = hash.low;
    local[2 * i + 1] = hash.high;
  }
  if (sequence !== undefined) xxh3.chain(local, undefined, sequence);
}

/**
 * Sequence hashes of known block hashes: of a prompt given as hashes, or of blocks that continue `parent`.
 * @param local block hashes, two u32 each, low first
 */
export function chainHashes(local: Uint32Array, parent?: U64): Uint32Array {
  const sequence = new Uint32Array(local.length);
  xxh3.chain(local, parent, sequence);
  return sequence;
}

/** Seed of the block hashes: 1337, moved by the adapter's name and the cache namespace (dynamo@1.6.1). */
export function hashSeed(options: Pick<HashOptions, "loraName" | "cacheSalt">): U64 {
  let seed = baseSeed;
  if (options.loraName) seed = add(seed, xxh3.hashBytes(utf8.encode(options.loraName), zeroSeed));
  if (options.cacheSalt) seed = add(seed, xxh3.hashBytes(utf8.encode(options.cacheSalt), saltSeed));
  return seed;
}

/** XXH3-64 with seed 0. Throws RangeError over 16 MiB. */
export function fingerprint(bytes: Uint8Array): U64 {
  return xxh3.hashBytes(bytes, zeroSeed);
}

/**
 * Identity of a multimodal object: the first 16 digits of a 64-digit hexadecimal identifier, else its XXH3-64; undefined
 * for "" (dynamo@1.6.1).
 */
export function mediaHash(identifier: string): U64 | undefined {
  if (identifier === "") return undefined;
  if (!/^[0-9a-f]{64}$/i.test(identifier)) return fingerprint(utf8.encode(identifier));
  return { low: Number.parseInt(identifier.slice(8, 16), 16), high: Number.parseInt(identifier.slice(0, 8), 16) };
}

/** Token id that stands for a multimodal object where its placeholder is replaced: 1,000,000 + the low 30 bits. */
export function mediaPadTokenId(hash: U64): number {
  return 1_000_000 + (hash.low & 0x3fffffff);
}

function add(a: U64, b: U64): U64 {
  const low = a.low + b.low;
  return { low: low >>> 0, high: (a.high + b.high + (low > 0xffffffff ? 1 : 0)) >>> 0 };
}

/** The block's tokens, then the objects' hashes in ascending order, all little-endian. */
function mediaBytes(tokens: Uint32Array, hashes: Uint32Array): Uint8Array {
  const pairs: U64[] = [];
  for (let i = 0; i + 1 < hashes.length; i += 2) pairs.push({ low: hashes[i] ?? 0, high: hashes[i + 1] ?? 0 });
  pairs.sort((a, b) => a.high - b.high || a.low - b.low);
  const bytes = Buffer.alloc(4 * tokens.length + 8 * pairs.length);
  tokens.forEach((token, i) => {
    bytes.writeUInt32LE(token, 4 * i);
  });
  pairs.forEach((pair, i) => {
    bytes.writeUInt32LE(pair.low, 4 * tokens.length + 8 * i);
    bytes.writeUInt32LE(pair.high, 4 * tokens.length + 8 * i + 4);
  });
  return bytes;
}
