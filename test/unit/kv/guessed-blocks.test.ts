import { describe, expect, it } from "vitest";
import { chainHashes, GuessedBlocks, type GuessLifetime, PrefixIndex } from "../../../src/kv/index.ts";
import { words } from "./u64.ts";

function hashesOf(locals: readonly number[]) {
  const local = words(locals.map((value) => BigInt(value)));
  return { count: locals.length, local, sequence: chainHashes(local) };
}

/** An index, with its guesses, as one worker's engine and its requests make it. */
class Guessed {
  readonly guesses: GuessedBlocks;
  readonly index: PrefixIndex;

  constructor(maxBlocks = 1_000) {
    this.guesses = new GuessedBlocks({ maxBlocks });
    this.index = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000, guesses: this.guesses });
  }

  learn(slot: number, locals: readonly number[], nowMs = 0, lifetime: GuessLifetime = { ttlMs: 1_000 }): void {
    this.guesses.learn(slot, hashesOf(locals), nowMs, lifetime);
  }

  /** An event: the engine has stored the blocks from `from` on under hashes of its own. */
  store(slot: number, locals: readonly number[], from = 0): void {
    this.index.store(slot, {
      parentHash: from === 0 ? undefined : { low: 900 + from, high: 0 },
      blockHashes: words(locals.slice(from).map((_, i) => BigInt(901 + from + i))),
      localHashes: words(locals.slice(from).map((local) => BigInt(local))),
    });
  }

  overlaps(locals: readonly number[], slots = 2): number[] {
    const out = new Int32Array(slots);
    this.index.overlaps(hashesOf(locals), out);
    return [...out];
  }
}

describe("GuessedBlocks", () => {
  it("answers for the slots that a prompt was sent to, as far as prompts agree", () => {
    const guessed = new Guessed();
    guessed.learn(0, [1, 2, 3]);
    guessed.learn(1, [1, 2, 9]);
    expect(guessed.overlaps([1, 2, 3, 4])).toEqual([3, 2]);
    expect(guessed.overlaps([7])).toEqual([0, 0]);
  });

  it("is not changed by a query", () => {
    const guessed = new Guessed();
    guessed.overlaps([1, 2]);
    expect(guessed.guesses.blockCount).toBe(0);
  });

  it("ends a guess after its time, and not before; another prompt renews what it shares", () => {
    const guessed = new Guessed();
    guessed.learn(0, [1, 2, 3], 0);
    guessed.learn(0, [1, 2], 600);
    guessed.guesses.expireAll(999);
    expect(guessed.overlaps([1, 2, 3])).toEqual([3, 0]);
    guessed.guesses.expireAll(1_000);
    expect(guessed.overlaps([1, 2, 3])).toEqual([2, 0]);
    guessed.guesses.expireAll(1_600);
    expect(guessed.overlaps([1, 2, 3])).toEqual([0, 0]);
    expect(guessed.guesses).toMatchObject({ blockCount: 0, expiredBlocks: 3 });
  });

  it("renews a guess once a second, and takes what is new at once", () => {
    const guessed = new Guessed();
    const lifetime = { ttlMs: 100_000 };
    guessed.learn(0, [1, 2, 3], 0, lifetime);
    guessed.learn(0, [1, 2, 3, 4], 900, lifetime);
    guessed.learn(0, [1, 2, 9], 900, lifetime);
    expect([guessed.overlaps([1, 2, 3, 4])[0], guessed.overlaps([1, 2, 9])[0]]).toEqual([4, 3]);
    guessed.guesses.expireAll(99_900);
    expect(guessed.overlaps([1, 2, 3, 4])[0]).toBe(4);
    guessed.learn(0, [1, 2, 3, 4], 50_000, lifetime);
    guessed.guesses.expireAll(149_900);
    expect([guessed.overlaps([1, 2, 3, 4])[0], guessed.overlaps([1, 2, 9])[0]]).toEqual([4, 2]);
    guessed.guesses.expireAll(150_000);
    expect(guessed.overlaps([1, 2, 3, 4])[0]).toBe(0);
  });

  it("learns the whole prompt again after the engine has dropped some of it, a second later at most", () => {
    const guessed = new Guessed();
    const lifetime = { ttlMs: 100_000 };
    guessed.learn(0, [1, 2, 3], 0, lifetime);
    const { sequence } = hashesOf([1, 2, 3]);
    guessed.guesses.refute(0, sequence[2] as number, sequence[3] as number);
    guessed.learn(0, [1, 2, 3], 1_000, lifetime);
    expect(guessed.overlaps([1, 2, 3])[0]).toBe(3);
  });

  it("ends at most so many guesses at once, the deepest first", () => {
    const guessed = new Guessed();
    guessed.learn(0, [1, 2, 3]);
    expect(guessed.guesses.expireAll(5_000, 2)).toBe(false);
    expect(guessed.overlaps([1, 2, 3])).toEqual([1, 0]);
    expect(guessed.guesses.expireAll(5_000, 2)).toBe(true);
    expect(guessed.overlaps([1, 2, 3])).toEqual([0, 0]);
  });

  it("keeps the most recent blocks of a slot, up to its bound", () => {
    const guessed = new Guessed();
    const lifetime = { ttlMs: 1_000, maxBlocks: 4 };
    guessed.learn(0, [1, 2, 3], 0, lifetime);
    guessed.learn(0, [7, 8], 0, lifetime);
    expect(guessed.overlaps([1, 2, 3])[0]).toBe(2);
    guessed.learn(0, [1, 2], 0, lifetime);
    guessed.learn(0, [5], 0, lifetime);
    expect(guessed.overlaps([7, 8])[0]).toBe(1);
    expect(guessed.overlaps([1, 2])[0]).toBe(2);
    guessed.learn(0, [1, 2, 3, 4, 5, 6], 0, lifetime);
    expect(guessed.overlaps([1, 2, 3, 4, 5, 6])[0]).toBe(4);
    expect(guessed.guesses.blocksOf(0)).toBe(4);
  });

  it("stays within its bound over all slots", () => {
    const guessed = new Guessed(8);
    for (let slot = 0; slot < 6; slot++) guessed.learn(slot, [slot, 2, 3, 4]);
    expect(guessed.guesses.blockCount).toBeLessThanOrEqual(8);
    expect(guessed.overlaps([5, 2, 3, 4], 6)[5]).toBe(4);
  });

  it("carries a prompt on from what events have confirmed, until they have confirmed it all", () => {
    const guessed = new Guessed();
    guessed.learn(0, [1, 2, 3]);
    guessed.store(0, [1, 2]);
    expect(guessed.overlaps([1, 2, 3])[0]).toBe(3);
    expect(guessed.guesses.confirmedBlocks).toBe(2);
    guessed.store(0, [1, 2, 3], 2);
    expect(guessed.guesses.blockCount).toBe(0);
    guessed.index.remove(0, words([902n, 903n]));
    expect(guessed.overlaps([1, 2, 3])[0]).toBe(1);
  });

  it("believes the engine that a block is gone", () => {
    const guessed = new Guessed();
    guessed.store(0, [1, 2]);
    guessed.learn(0, [1, 2, 3]);
    guessed.index.remove(0, words([902n]));
    expect(guessed.overlaps([1, 2, 3])[0]).toBe(1);
  });

  it("forgets a slot that the engine has cleared", () => {
    const guessed = new Guessed();
    guessed.learn(0, [1, 2]);
    guessed.learn(1, [1, 2]);
    guessed.index.clear(0);
    expect(guessed.overlaps([1, 2])).toEqual([0, 2]);
  });

  it("counts a guessed block on the device, and not in a lower tier as well", () => {
    const guessed = new Guessed();
    const locals = [1, 2, 3, 4];
    const blockHashes = words([901n, 902n, 903n, 904n]);
    const localHashes = words(locals.map((local) => BigInt(local)));
    for (const [tier, from, to] of [
      ["device", 0, 2],
      ["host_pinned", 2, 6],
      ["disk", 6, 8],
    ] as const) {
      const parentHash = from === 0 ? undefined : { low: blockHashes[from - 2] ?? 0, high: 0 };
      const run = { blockHashes: blockHashes.slice(from, to), localHashes: localHashes.slice(from, to) };
      guessed.index.store(0, { parentHash, ...run, tier });
    }
    const out = { device: new Int32Array(1), host: new Int32Array(1), disk: new Int32Array(1) };
    guessed.index.tierOverlaps(hashesOf(locals), out);
    expect([out.device[0], out.host[0], out.disk[0]]).toEqual([1, 2, 1]);
    guessed.learn(0, [1, 2]);
    guessed.index.tierOverlaps(hashesOf(locals), out);
    expect([out.device[0], out.host[0], out.disk[0]]).toEqual([2, 1, 1]);
    guessed.learn(0, [1, 2, 3, 4]);
    guessed.index.tierOverlaps(hashesOf(locals), out);
    expect([out.device[0], out.host[0], out.disk[0]]).toEqual([4, 0, 0]);
  });

  it.each([0, 1.5, 2 ** 27])("refuses %s blocks", (maxBlocks) => {
    expect(() => new GuessedBlocks({ maxBlocks })).toThrow(RangeError);
  });
});
