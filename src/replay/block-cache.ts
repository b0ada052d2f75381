import type { BlockHashes, PrefixIndex } from "../kv/index.ts";

/** The prefix cache of a simulated engine: whole blocks, the least recently used go first, every change told to an index. */
export class BlockCache {
  readonly #capacity: number;
  readonly #tell: (change: (index: PrefixIndex) => void) => void;
  readonly #slot: number;
  /** Least recently used first; the value is the block's hash as two u32. */
  readonly #blocks = new Map<bigint, Uint32Array>();

  /** @param tell delivers a change to the router's index, after whatever delay events have */
  constructor(capacity: number, slot: number, tell: (change: (index: PrefixIndex) => void) => void) {
    this.#capacity = capacity;
    this.#slot = slot;
    this.#tell = tell;
  }

  /** Leading blocks that are held; they count as used. */
  matched(hashes: BlockHashes): number {
    let matched = 0;
    while (matched < hashes.count && this.#touch(keyOf(hashes, matched))) matched++;
    return matched;
  }

  store(hashes: BlockHashes): void {
    for (let block = 0; block < hashes.count; block++) {
      const key = keyOf(hashes, block);
      if (this.#touch(key)) continue;
      this.#blocks.set(key, hashes.sequence.slice(2 * block, 2 * block + 2));
      this.#tellStored(hashes, block);
    }
    const evicted: number[] = [];
    for (const [key, hash] of this.#blocks) {
      if (this.#blocks.size <= this.#capacity) break;
      this.#blocks.delete(key);
      evicted.push(hash[0] ?? 0, hash[1] ?? 0);
    }
    if (evicted.length > 0) this.#tell((index) => index.remove(this.#slot, Uint32Array.from(evicted)));
  }

  #touch(key: bigint): boolean {
    const hash = this.#blocks.get(key);
    if (hash === undefined) return false;
    this.#blocks.delete(key);
    this.#blocks.set(key, hash);
    return true;
  }

  #tellStored({ sequence, local }: BlockHashes, block: number): void {
    const [low = 0, high = 0] = block === 0 ? [] : sequence.subarray(2 * block - 2, 2 * block);
    this.#tell((index) =>
      index.store(this.#slot, {
        parentHash: block === 0 ? undefined : { low, high },
        blockHashes: sequence.slice(2 * block, 2 * block + 2),
        localHashes: local.slice(2 * block, 2 * block + 2),
      }),
    );
  }
}

function keyOf({ sequence }: BlockHashes, block: number): bigint {
  return (BigInt(sequence[2 * block + 1] ?? 0) << 32n) | BigInt(sequence[2 * block] ?? 0);
}
