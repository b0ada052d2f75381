import { describe, expect, it } from "vitest";
import { BlockCache, type CacheEvent } from "../../../src/sim-worker/block-cache.ts";
import { BlockIdentity } from "../../../src/sim-worker/block-identity.ts";

const blockSize = 4;

function cacheOf(capacityBlocks: number) {
  const events: CacheEvent[] = [];
  const identity = new BlockIdentity(blockSize, "seed");
  const cache = new BlockCache({ capacityBlocks, blockSize, identity, onEvent: (event) => events.push(event) });
  const allocate = (tokens: readonly number[], outputTokens = 0, namespace = "") =>
    cache.allocate(cache.identify(Uint32Array.from(tokens), namespace), outputTokens, false);
  const idsOf = (tokens: readonly number[]) => Array.from(identity.blockIds(Uint32Array.from(tokens), ""));
  return { cache, events, allocate, idsOf };
}

/** Tokens of `blocks` blocks that no other `start` shares. */
function run(start: number, blocks: number): readonly number[] {
  return Array.from({ length: blocks * blockSize }, (_, index) => start * 1000 + index);
}

describe("BlockCache", () => {
  it("finds the leading full blocks of an earlier prompt", () => {
    const { allocate } = cacheOf(16);
    allocate([...run(1, 2), 7, 7])?.release();
    expect(allocate([...run(1, 2), 8, 8, 8, 8, 8])?.cachedTokens).toBe(8);
  });

  it("computes the last token even when every block is cached", () => {
    const { allocate } = cacheOf(16);
    allocate(run(1, 3))?.release();
    expect(allocate(run(1, 3))?.cachedTokens).toBe(8);
  });

  it("shares blocks between running requests before the first one ends", () => {
    const { cache, allocate } = cacheOf(16);
    allocate([...run(1, 2), 5]);
    expect(allocate([...run(1, 2), 6])?.cachedTokens).toBe(8);
    expect(cache.blocksInUse).toBe(4);
  });

  it("keeps namespaces apart", () => {
    const { allocate } = cacheOf(16);
    allocate([...run(1, 2), 5], 0, "a")?.release();
    expect(allocate([...run(1, 2), 5], 0, "b")?.cachedTokens).toBe(0);
    expect(allocate([...run(1, 2), 5], 0, "a")?.cachedTokens).toBe(8);
  });

  it("tells of stored blocks with their tokens and their parent", () => {
    const { events, allocate, idsOf } = cacheOf(16);
    allocate(run(1, 2))?.release();
    allocate([...run(1, 2), 1, 2, 3, 4, 5]);
    const ids = idsOf([...run(1, 2), 1, 2, 3, 4]);
    expect(events).toEqual([
      {
        kind: "stored",
        blockIds: ids.slice(0, 2),
        parentId: undefined,
        tokenIds: Uint32Array.from(run(1, 2)),
        namespace: "",
      },
      {
        kind: "stored",
        blockIds: ids.slice(2),
        parentId: ids[1],
        tokenIds: Uint32Array.of(1, 2, 3, 4),
        namespace: "",
      },
    ]);
  });

  it("evicts the least recently used prompt, its tail first", () => {
    const { events, allocate, idsOf } = cacheOf(6);
    allocate(run(1, 2))?.release();
    allocate(run(2, 2))?.release();
    allocate([...run(1, 2), 9])?.release();
    events.length = 0;
    allocate(run(3, 3))?.release();
    const removed = events.flatMap((event) => (event.kind === "removed" ? event.blockId : []));
    const [firstOfTwo, secondOfTwo] = idsOf(run(2, 2));
    // Four of the six blocks were cached, so the third new one costs the oldest.
    expect(removed).toEqual([secondOfTwo]);
    allocate(run(4, 2))?.release();
    const later = events.flatMap((event) => (event.kind === "removed" ? event.blockId : []));
    expect(later.slice(1)).toEqual([firstOfTwo, idsOf(run(1, 2))[1]]);
  });

  it("refuses a prompt while running requests hold its blocks, and takes it when they are given back", () => {
    const { allocate } = cacheOf(4);
    const running = allocate(run(1, 2), 4);
    expect(allocate(run(2, 2))).toBeUndefined();
    running?.release();
    expect(allocate(run(2, 2))).toBeDefined();
  });

  it("runs a request larger than the cache when forced, and caches its head", () => {
    const { cache, allocate } = cacheOf(4);
    cache.allocate(cache.identify(Uint32Array.from(run(1, 10)), ""), 8, true)?.release();
    expect(cache.cachedBlocks).toBe(4);
    expect(cache.blocksInUse).toBe(0);
    expect(allocate([...run(1, 3), 1])?.cachedTokens).toBe(12);
  });

  it("counts blocks for the output while it is generated", () => {
    const { cache, allocate } = cacheOf(16);
    const running = allocate(run(1, 1), 9);
    expect(cache.blocksInUse).toBe(4);
    running?.release();
    running?.release();
    expect(cache.blocksInUse).toBe(0);
    expect(cache.cachedBlocks).toBe(1);
  });

  it("forgets everything on a clear, also what running requests hold", () => {
    const { cache, events, allocate } = cacheOf(16);
    const running = allocate(run(1, 2));
    allocate(run(2, 2))?.release();
    cache.clear();
    running?.release();
    expect(events.at(-1)).toEqual({ kind: "cleared" });
    expect(cache.cachedBlocks).toBe(0);
    expect(allocate([...run(1, 2), 1])?.cachedTokens).toBe(0);
  });

  it("agrees with a plain model of the cache over random prompts", () => {
    const { cache, events } = cacheOf(40);
    const held = new Set<bigint>();
    let state = 1;
    const chance = (limit: number) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return (state >>> 8) % limit;
    };
    const running: (() => void)[] = [];
    for (let step = 0; step < 2_000; step += 1) {
      if (running.length > 3) running.splice(chance(running.length), 1)[0]?.();
      const prompt = cache.identify(Uint32Array.from([...run(chance(3), 1 + chance(6)), ...run(9 + chance(3), 2)]), "");
      const limit = Math.floor((prompt.tokenIds.length - 1) / blockSize);
      let hits = 0;
      while (hits < limit && held.has(prompt.blockIds[hits] ?? 0n)) hits += 1;
      events.length = 0;
      const allocation = cache.allocate(prompt, chance(8), false);
      for (const event of events) {
        if (event.kind === "stored") for (const id of event.blockIds) held.add(id);
        if (event.kind === "removed") expect(held.delete(event.blockId)).toBe(true);
      }
      if (allocation === undefined) continue;
      expect(allocation.cachedTokens).toBe(hits * blockSize);
      expect(cache.cachedBlocks).toBe(held.size);
      expect(cache.blocksInUse).toBeLessThanOrEqual(40);
      running.push(allocation.release);
    }
    for (const release of running) release();
    expect(cache.blocksInUse).toBe(0);
  });
});
