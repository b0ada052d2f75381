import { describe, expect, it } from "vitest";
import { blocksWithin, PrefixIndex } from "../../../src/kv/index.ts";

function randomWords(length: number, seed: number): Uint32Array {
  let state = seed;
  return Uint32Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  });
}

describe("memory of the index", () => {
  it.each([1 << 20, 3_000_000, 64 << 20])("stays within %d bytes whatever is stored", (bytes) => {
    const maxBlocks = Math.min(blocksWithin(bytes), 20_000);
    const index = new PrefixIndex({ blockSize: 16, maxBlocks });
    for (let round = 0; round < 60; round++) {
      const locals = randomWords(2 * 512, round + 1);
      for (let slot = 0; slot < 5; slot++) {
        const tier = slot % 2 === 0 ? "device" : "host_pinned";
        const blocks = {
          localHashes: locals.subarray(0, 2 * (500 - 7 * slot)),
          tier,
          cacheSalt: `tenant ${round}`,
        } as const;
        const blockHashes = randomWords(blocks.localHashes.length, 1_000 * slot + round + 1);
        index.store(slot, { parentHash: undefined, blockHashes, ...blocks });
        expect(index.stats.usedBytes).toBeLessThanOrEqual(bytes);
      }
    }
    expect(index.stats.refusedBlocks).toBe(0);
  });

  it("holds a block that nobody shares in 96 bytes, for any number of workers", () => {
    const index = new PrefixIndex({ blockSize: 16, maxBlocks: 1 << 17 });
    for (let slot = 0; slot < 256; slot++) {
      const hashes = randomWords(2 * 512, slot + 1);
      index.store(slot, { parentHash: undefined, blockHashes: hashes, localHashes: hashes });
    }
    const { blocks, usedBytes } = index.stats;
    expect(blocks).toBe(1 << 17);
    expect(usedBytes / blocks).toBeLessThanOrEqual(96);
  });

  it("stays within them however long and many the names of namespaces are", () => {
    const bytes = 4 << 20;
    const index = new PrefixIndex({ blockSize: 16, maxBlocks: blocksWithin(bytes) });
    for (let i = 0; i < 300; i++) {
      const hashes = randomWords(2, i + 1);
      const cacheSalt = `${i} ${"x".repeat(20_000)}`;
      index.store(i % 3, { parentHash: undefined, blockHashes: hashes, localHashes: hashes, cacheSalt });
      expect(index.stats.usedBytes).toBeLessThanOrEqual(bytes);
    }
    expect(index.stats).toMatchObject({ refusedBlocks: 0 });
    expect(index.stats.evictedBlocks).toBeGreaterThan(200);
  });

  it("fits at least a block into each 112 bytes", () => {
    for (const bytes of [1 << 20, 100_000_000, 1 << 30, 5_000_000_000]) {
      expect(blocksWithin(bytes)).toBeGreaterThanOrEqual(Math.min(1 << 26, Math.floor((bytes - 65_536) / 112)));
    }
    expect(blocksWithin(1)).toBe(1);
  });
});
