import type { StorageTier } from "./held-blocks.ts";
import type { U64 } from "./xxh3.ts";

/** Blocks that a worker has stored: a run of consecutive blocks. */
export interface StoredBlocks {
  /** The engine's hash of the block before the first; undefined = the first block of a prompt. */
  readonly parentHash: U64 | undefined;
  /** The engine's own hashes, two u32 a block, low first. */
  readonly blockHashes: Uint32Array;
  /** Our hashes of the blocks' tokens, of the same length. */
  readonly localHashes: Uint32Array;
  /** Default "device". */
  readonly tier?: StorageTier | undefined;
  /**
   * Engines that keep equal blocks side by side tell of each copy, stored and removed: then the block is held until the last copy
   * is removed. Default false: one removal ends any number of stores.
   */
  readonly isCounted?: boolean | undefined;
  /** Cache namespace that the local hashes were made with; children inherit it. */
  readonly cacheSalt?: string | undefined;
}
