import { hashLocalBlocks } from "./block-hashes.ts";
import type { StorageTier } from "./held-blocks.ts";
import type { StoredEvent } from "./kv-event.ts";
import type { StoredBlocks } from "./stored-blocks.ts";

/** The blocks that one event stores; their tokens are hashed as they are asked for, since an event may hold very many. */
export class StoredRun {
  /** Blocks whose tokens are all there. */
  readonly count: number;
  readonly #event: StoredEvent;
  readonly #tier: StorageTier;
  readonly #cacheSalt: string | undefined;

  constructor(event: StoredEvent, tier: StorageTier, cacheSalt: string | undefined) {
    const { tokenIds, blockSize, isEagle, blockHashes } = event;
    const usable = isEagle ? Math.max(0, tokenIds.length - 1) : tokenIds.length;
    this.count = Math.min(blockHashes.length >>> 1, Math.floor(usable / blockSize));
    this.#event = event;
    this.#tier = tier;
    this.#cacheSalt = cacheSalt;
  }

  /** The blocks from `from` up to `to`, which follow those before them. O(tokens of these). */
  slice(from: number, to: number): StoredBlocks {
    const { blockHashes, tokenIds, blockSize, isEagle, loraName, blockMmInfos, parentHash } = this.#event;
    const tokens = tokenIds.subarray(from * blockSize, to * blockSize + (isEagle ? 1 : 0));
    const options = { blockSize, isEagle, loraName, cacheSalt: this.#cacheSalt };
    return {
      parentHash:
        from === 0
          ? parentHash
          : { low: blockHashes[2 * from - 2] as number, high: blockHashes[2 * from - 1] as number },
      blockHashes: blockHashes.subarray(2 * from, 2 * to),
      localHashes: hashLocalBlocks(tokens, { ...options, blockMmInfos: blockMmInfos?.slice(from, to) }),
      tier: this.#tier,
      cacheSalt: this.#cacheSalt,
    };
  }
}
