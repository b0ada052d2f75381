import { describe, expect, it } from "vitest";
import { chainHashes, PrefixIndex, type StorageTier, type StoredBlocks } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

/** A run of blocks: local hash n, engine hash n + `base`. */
function run(
  locals: readonly number[],
  parent?: number,
  options: { base?: number; tier?: StorageTier } = {},
): StoredBlocks {
  const { base = 1_000, tier } = options;
  return {
    parentHash: parent === undefined ? undefined : { low: base + parent, high: 0 },
    blockHashes: words(locals.map((local) => BigInt(base + local))),
    localHashes: words(locals.map((local) => BigInt(local))),
    tier,
  };
}

function hashesOf(locals: readonly number[]) {
  const local = words(locals.map((value) => BigInt(value)));
  return { count: locals.length, local, sequence: chainHashes(local) };
}

function overlapsOf(index: PrefixIndex, locals: readonly number[], slots: number): number[] {
  const out = new Int32Array(slots).fill(-1);
  index.overlaps(hashesOf(locals), out);
  return [...out];
}

function indexOf(options: { maxBlocks?: number; maxOrphans?: number } = {}): PrefixIndex {
  return new PrefixIndex({ blockSize: 4, maxBlocks: 1_000, ...options });
}

describe("PrefixIndex", () => {
  it("counts leading blocks for slots far beyond 32", () => {
    const index = indexOf();
    for (const slot of [0, 31, 32, 63, 64, 200]) index.store(slot, run([1, 2, 3].slice(0, 1 + (slot % 3))));
    const out = overlapsOf(index, [1, 2, 3, 4], 201);
    expect([0, 31, 32, 63, 64, 200].map((slot) => out[slot])).toEqual([1, 2, 3, 1, 2, 3]);
    expect(out.filter((blocks) => blocks > 0)).toHaveLength(6);
  });

  it("keeps what it knew when slots are added later", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(100, run([1]));
    expect(overlapsOf(index, [1, 2], 101)[0]).toBe(2);
    expect(overlapsOf(index, [1, 2], 101)[100]).toBe(1);
  });

  it("writes 0 for everyone when nothing matches, and leaves out slots beyond the output", () => {
    const index = indexOf();
    index.store(5, run([1]));
    expect(overlapsOf(index, [9], 6)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(overlapsOf(index, [1], 3)).toEqual([0, 0, 0]);
    expect(overlapsOf(index, [], 2)).toEqual([0, 0]);
  });

  it("holds a block until the last engine hash for it is removed", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(0, run([1, 2], undefined, { base: 5_000 }));
    index.remove(0, words([1_001n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([2]);
    index.remove(0, words([5_001n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([0]);
    index.store(0, run([1]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([2]);
  });

  it("places children that came before their parents, in any order", () => {
    const index = indexOf();
    index.store(0, run([4, 5], 3));
    index.store(0, run([3], 2));
    index.store(0, run([2], 1));
    expect(index.stats.orphans).toBe(4);
    expect(overlapsOf(index, [1, 2, 3, 4, 5], 1)).toEqual([0]);
    index.store(0, run([1]));
    expect(overlapsOf(index, [1, 2, 3, 4, 5], 1)).toEqual([5]);
    expect(index.stats.orphans).toBe(0);
  });

  it("forgets a waiting block that is removed", () => {
    const index = indexOf();
    index.store(0, run([2, 3], 1));
    index.remove(0, words([1_003n]));
    index.store(0, run([1]));
    expect(overlapsOf(index, [1, 2, 3], 1)).toEqual([2]);
    expect(index.stats.unknownRemovals).toBe(0);
  });

  it("bounds the blocks that wait, oldest first", () => {
    const index = indexOf({ maxOrphans: 2 });
    index.store(0, run([2, 3, 4], 1));
    expect(index.stats).toMatchObject({ orphans: 2, droppedOrphans: 1 });
  });

  it("keeps a held block in its place when its parent is gone", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.remove(0, words([1_001n]));
    index.store(0, run([2, 3], 1));
    index.remove(0, words([1_002n]));
    index.store(0, run([1]));
    expect(overlapsOf(index, [1, 2, 3], 1)).toEqual([1]);
    index.store(0, run([2], 1));
    expect(overlapsOf(index, [1, 2, 3], 1)).toEqual([3]);
  });

  it("believes the newer of two stores of one engine hash", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(0, { ...run([9]), blockHashes: words([1_001n]) });
    expect(overlapsOf(index, [1, 2], 1)).toEqual([0]);
    expect(overlapsOf(index, [9], 1)).toEqual([1]);
    expect(index.stats.conflicts).toBe(1);
  });

  it("counts removals of what it does not hold", () => {
    const index = indexOf();
    index.remove(3, words([1n, 2n]));
    expect(index.stats.unknownRemovals).toBe(2);
  });

  it("clears one slot and no other", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(1, run([1, 2, 3]));
    index.store(0, run([8], 7));
    index.clear(0);
    expect(overlapsOf(index, [1, 2, 3], 2)).toEqual([0, 3]);
    expect(index.blocksOf(0)).toBe(0);
    expect(index.stats).toMatchObject({ blocks: 3, prefixes: 3, orphans: 0 });
    index.clear(1);
    expect(index.sweep(2)).toBe(false);
    expect(index.stats).toMatchObject({ blocks: 0, prefixes: 3 });
    expect(index.sweep(100)).toBe(true);
    expect(index.stats).toMatchObject({ blocks: 0, prefixes: 0, usedBytes: 0 });
  });

  it("holds a block that is stored in copies until the last copy is removed, when copies are counted", () => {
    const index = indexOf();
    const counted = { ...run([1, 2]), isCounted: true };
    index.store(0, counted);
    index.store(0, counted);
    index.store(0, { ...run([1]), isCounted: true });
    index.remove(0, words([1_001n, 1_002n]));
    index.remove(0, words([1_001n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([2]);
    index.remove(0, words([1_002n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([1]);
    index.remove(0, words([1_001n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([0]);
    expect(index.stats).toMatchObject({ blocks: 0, unknownRemovals: 0 });
  });

  it("counts copies also of a block that waits for its parent", () => {
    const index = indexOf();
    index.store(0, { ...run([2], 1), isCounted: true });
    index.store(0, { ...run([2], 1), isCounted: true });
    index.store(0, { ...run([1, 2]), isCounted: true });
    index.remove(0, words([1_002n, 1_002n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([2]);
    index.remove(0, words([1_002n]));
    expect(overlapsOf(index, [1, 2], 1)).toEqual([1]);
  });

  it("puts blocks into another tier by their hashes alone", () => {
    const index = indexOf();
    index.store(0, run([1, 2, 3]));
    index.addTier(0, words([1_002n, 1_003n, 77n]), "host_pinned");
    index.remove(0, words([1_002n, 1_003n]));
    const out = { device: new Int32Array(1), host: new Int32Array(1), disk: new Int32Array(1) };
    index.tierOverlaps(hashesOf([1, 2, 3]), out);
    expect([out.device[0], out.host[0], out.disk[0]]).toEqual([1, 2, 0]);
    expect(index.stats.unknownAdditions).toBe(1);
    index.addTier(0, words([1_001n]), "device");
    index.remove(0, words([1_001n]));
    expect(overlapsOf(index, [1], 1)).toEqual([1]);
  });

  it("spreads the tearing and the filling of a hole to everything behind it, over several changes if need be", () => {
    const index = indexOf({ maxBlocks: 50_000 });
    const locals = Array.from({ length: 20_000 }, (_, i) => i + 1);
    index.store(0, run(locals));
    index.remove(0, words([1_001n]));
    index.sweep(100_000);
    expect(overlapsOf(index, locals, 1)).toEqual([0]);
    index.store(0, run([1]));
    while (!index.sweep(1_000));
    expect(overlapsOf(index, locals, 1)).toEqual([20_000]);
  });

  it("gives the numbers of slots that are gone to others, and holds hundreds of them", () => {
    const index = indexOf({ maxBlocks: 100_000 });
    for (let round = 0; round < 3; round++) {
      for (let slot = 0; slot < 300; slot++) index.store(slot, run([1, 2, 3 + slot]));
      const out = overlapsOf(index, [1, 2, 3 + 17], 300);
      expect(out[17]).toBe(3);
      expect(out.filter((blocks) => blocks === 2)).toHaveLength(299);
      for (let slot = 0; slot < 300; slot++) index.clear(slot);
      expect(overlapsOf(index, [1, 2], 300).every((blocks) => blocks === 0)).toBe(true);
    }
    while (!index.sweep(1_000));
    expect(index.stats).toMatchObject({ blocks: 0, prefixes: 0, usedBytes: 0 });
  });

  it("forgets the oldest leaves of the fullest slot when it is full", () => {
    const index = indexOf({ maxBlocks: 6 });
    index.store(0, run([1, 2, 3]));
    index.store(0, run([11]));
    index.store(1, run([1, 2]));
    index.store(1, run([3], 2));
    expect(overlapsOf(index, [1, 2, 3], 2)).toEqual([2, 3]);
    index.store(1, run([21]));
    expect(overlapsOf(index, [1, 2, 3], 2)).toEqual([1, 3]);
    expect(overlapsOf(index, [11], 2)).toEqual([1, 0]);
    expect(index.stats).toMatchObject({ blocks: 6, evictedBlocks: 2, refusedBlocks: 0 });
  });

  it("never evicts the path it is storing, and counts what does not fit", () => {
    const index = indexOf({ maxBlocks: 3 });
    index.store(0, run([1, 2, 3, 4, 5]));
    expect(overlapsOf(index, [1, 2, 3, 4, 5], 1)).toEqual([3]);
    expect(index.stats).toMatchObject({ blocks: 3, refusedBlocks: 2 });
  });

  it("remembers the namespace of a block, and of one that waits", () => {
    const index = indexOf();
    index.store(0, { ...run([1]), cacheSalt: "tenant-a" });
    index.store(0, { ...run([3], 2), cacheSalt: "tenant-b" });
    expect(index.cacheSaltOf(0, { low: 1_001, high: 0 })).toBe("tenant-a");
    expect(index.cacheSaltOf(0, { low: 1_003, high: 0 })).toBe("tenant-b");
    expect(index.cacheSaltOf(1, { low: 1_001, high: 0 })).toBeUndefined();
    index.remove(0, words([1_001n]));
    expect(index.cacheSaltOf(0, { low: 1_001, high: 0 })).toBeUndefined();
  });

  it.each([-1, 0.5, 1 << 24, Number.NaN])("refuses slot %s", (slot) => {
    expect(() => indexOf().store(slot, run([1]))).toThrow(RangeError);
  });

  it.each([{ blockSize: 0 }, { blockSize: 4, maxBlocks: 0 }, { blockSize: 4, maxOrphans: -1 }])(
    "refuses %o",
    (options) => {
      expect(() => new PrefixIndex(options)).toThrow(RangeError);
    },
  );
});

describe("PrefixIndex tiers", () => {
  function tiersOf(index: PrefixIndex, locals: readonly number[]) {
    const out = { device: new Int32Array(2), host: new Int32Array(2), disk: new Int32Array(2) };
    index.tierOverlaps(hashesOf(locals), out);
    return [0, 1].map((slot) => [out.device[slot], out.host[slot], out.disk[slot]]);
  }

  it("continues the device's run in host memory and then on disk", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(0, run([3, 4], 2, { tier: "host_pinned" }));
    index.store(0, run([5], 4, { tier: "external" }));
    index.store(0, run([6], 5, { tier: "host_pinned" }));
    index.store(1, run([1, 2, 3], undefined, { tier: "disk" }));
    expect(tiersOf(index, [1, 2, 3, 4, 5, 6])).toEqual([
      [2, 2, 1],
      [0, 0, 3],
    ]);
    expect(overlapsOf(index, [1, 2, 3], 2)).toEqual([2, 0]);
  });

  it("keeps a block in host memory when it leaves the device", () => {
    const index = indexOf();
    index.store(0, run([1, 2]));
    index.store(0, run([1, 2], undefined, { tier: "host_pinned" }));
    index.remove(0, words([1_001n]));
    expect(tiersOf(index, [1, 2])[0]).toEqual([0, 2, 0]);
    index.remove(0, words([1_001n, 1_002n]), "host_pinned");
    index.store(0, run([1]));
    expect(tiersOf(index, [1, 2])[0]).toEqual([2, 0, 0]);
  });
});
