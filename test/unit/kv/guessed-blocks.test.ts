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
    const guessed = new Guessed(9);
    for (let slot = 0; slot < 6; slot++) guessed.learn(slot, [slot, 2, 3, 4]);
    expect(guessed.guesses.blockCount).toBeLessThanOrEqual(9);
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

  it("learns the first 8,192 blocks of a long prompt", () => {
    const { guesses } = new Guessed(100_000);
    const long = hashesOf(Array.from({ length: 20_000 }, (_, i) => i));
    guesses.learn(0, long, 0, { ttlMs: 1_000 });
    expect(guesses.blocksOf(0)).toBe(8_192);
  });

  it("counts the memory of many short runs against its bound", () => {
    const { guesses } = new Guessed(100);
    for (let first = 0; first < 50; first++) guesses.learn(0, hashesOf([first]), 0, { ttlMs: 1_000 });
    expect(guesses.blockCount).toBe(16);
  });
});

describe("GuessedBlocks beside a list of blocks", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("holds the same, seed %i", (seed) => {
    const random = randomFrom(seed);
    const guesses = new GuessedBlocks();
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 1_000, guesses });
    const lists = [0, 1, 2].map(() => new BlockList());
    for (let step = 0; step < 600; step++) {
      const nowMs = step * 100;
      const prompt = Array.from({ length: 1 + random(24) }, (_, at) => (random(6) === 0 ? random(3) : at % 2));
      const slot = random(3);
      const list = lists[slot] as BlockList;
      const what = random(10);
      if (what < 6) {
        const maxBlocks = 20 + random(3) * 15;
        guesses.learn(slot, hashesOf(prompt), nowMs, { ttlMs: 5_000, maxBlocks });
        list.learn(prompt, nowMs + 5_000, maxBlocks);
      } else if (what === 6) {
        const { sequence, count } = hashesOf(prompt);
        guesses.refute(slot, sequence[2 * count - 2] as number, sequence[2 * count - 1] as number);
        list.refute(prompt);
      } else if (what === 7 && random(10) === 0) {
        index.clear(slot);
        lists[slot] = new BlockList();
      }
      guesses.expireAll(nowMs);
      guesses.sweep(random(2));
      for (const other of lists) other.expire(nowMs);
      const out = new Int32Array(3);
      index.overlaps(hashesOf(prompt), out);
      expect([...out]).toEqual(lists.map((other) => other.overlap(prompt)));
      expect([0, 1, 2].map((each) => guesses.blocksOf(each))).toEqual(lists.map(({ size }) => size));
    }
  });
});

/** What one slot is guessed to hold, block by block, the least recently used first. */
class BlockList {
  readonly #endsAt = new Map<string, number>();

  get size(): number {
    return this.#endsAt.size;
  }

  learn(prompt: readonly number[], endsAtMs: number, maxBlocks: number): void {
    for (let count = Math.min(prompt.length, maxBlocks); count > 0; count--) {
      const name = nameOf(prompt.slice(0, count));
      this.#endsAt.delete(name);
      this.#endsAt.set(name, endsAtMs);
    }
    for (const name of this.#endsAt.keys()) if (this.#endsAt.size > maxBlocks) this.#endsAt.delete(name);
  }

  refute(prompt: readonly number[]): void {
    const gone = nameOf(prompt);
    for (const name of this.#endsAt.keys()) if (name.startsWith(gone)) this.#endsAt.delete(name);
  }

  expire(nowMs: number): void {
    for (const [name, endsAt] of this.#endsAt) if (endsAt <= nowMs) this.#endsAt.delete(name);
  }

  overlap(prompt: readonly number[]): number {
    const end = prompt.findIndex((_, at) => !this.#endsAt.has(nameOf(prompt.slice(0, at + 1))));
    return end < 0 ? prompt.length : end;
  }
}

function nameOf(blocks: readonly number[]): string {
  return blocks.map((block) => `${block},`).join("");
}

/** Numbers in [0, bound), the same for a seed. */
function randomFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
