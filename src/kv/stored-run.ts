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

  /**
   * The blocks from `from` up to `to`, which follow those before them. O(tokens of these).
   * @param isCounted whether they are copies of their own (`StoredBlocks`)
   */
  slice(from: number, to: number, isCounted: boolean): StoredBlocks {
    const { blockHashes, parentHash } = this.#event;
    const isWhole = from === 0 && 2 * to === blockHashes.length;
    return {
      parentHash:
        from === 0
          ? parentHash
          : { low: blockHashes[2 * from - 2] as number, high: blockHashes[2 * from - 1] as number },
      blockHashes: isWhole ? blockHashes : blockHashes.subarray(2 * from, 2 * to),
      localHashes: this.#localHashes(from, to),
      tier: this.#tier,
      cacheSalt: this.#cacheSalt,
      isCounted,
    };
  }

  #localHashes(from: number, to: number): Uint32Array {
    const { tokenIds, blockSize, isEagle, loraName, blockMmInfos } = this.#event;
    const end = to * blockSize + (isEagle ? 1 : 0);
    const tokens = from === 0 && end === tokenIds.length ? tokenIds : tokenIds.subarray(from * blockSize, end);
    return hashLocalBlocks(tokens, {
      blockSize,
      isEagle,
      loraName,
      cacheSalt: this.#cacheSalt,
      blockMmInfos: blockMmInfos?.slice(from, to),
    });
  }
}
