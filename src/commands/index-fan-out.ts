import type { StorageTier, StoredBlocks, U64 } from "../kv/index.ts";
import type { KvEventSink } from "../kv-events/index.ts";

/**
 * Writes what one engine holds into several indexes: engines do not say which of the names they serve under a block belongs to,
 * and equal tokens are equal blocks.
 */
export class IndexFanOut implements KvEventSink {
  readonly #indexes: readonly KvEventSink[];

  constructor(indexes: readonly KvEventSink[]) {
    this.#indexes = indexes;
  }

  store(slot: number, blocks: StoredBlocks): void {
    for (const index of this.#indexes) index.store(slot, blocks);
  }

  remove(slot: number, blockHashes: Uint32Array, tier?: StorageTier): void {
    for (const index of this.#indexes) index.remove(slot, blockHashes, tier);
  }

  addTier(slot: number, blockHashes: Uint32Array, tier: StorageTier): void {
    for (const index of this.#indexes) index.addTier(slot, blockHashes, tier);
  }

  clear(slot: number): void {
    for (const index of this.#indexes) index.clear(slot);
  }

  cacheSaltOf(slot: number, hash: U64): string | undefined {
    return this.#indexes[0]?.cacheSaltOf(slot, hash);
  }

  blocksOf(slot: number): number {
    return this.#indexes[0]?.blocksOf(slot) ?? 0;
  }
}
