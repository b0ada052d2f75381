import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { IndexUpkeep } from "../../../src/commands/index-upkeep.ts";
import { GuessedBlocks, hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { ModelRegistry } from "../../../src/router/index.ts";
import { FakeClock } from "../load/fake-clock.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("ends guesses in time and gives back the memory of cleared ranks, bit by bit", async () => {
  const guesses = new GuessedBlocks({ maxBlocks: 100 });
  const index = new PrefixIndex({ blockSize: 4, maxBlocks: 10_000, guesses });
  const clock = new FakeClock();
  const upkeep = new IndexUpkeep(new ModelRegistry([{ name: "m", aliases: [], pipeline: undefined, index }]), clock);
  const hashes = hashBlocks(
    Uint32Array.from({ length: 16_000 }, (_, i) => i),
    { blockSize: 4 },
  );
  index.store(0, { parentHash: undefined, blockHashes: hashes.sequence, localHashes: hashes.local });
  guesses.learn(1, { ...hashes, count: 10 }, 0, { ttlMs: 1_000 });
  index.clear(0);
  expect(index.stats).toMatchObject({ blocks: 0, prefixes: 4_000 });
  vi.advanceTimersByTime(100);
  expect(index.stats.prefixes).toBeGreaterThan(0);
  expect(guesses.blockCount).toBe(10);
  clock.advance(1_000);
  vi.advanceTimersByTime(200);
  expect(index.stats).toMatchObject({ prefixes: 0, usedBytes: 0 });
  expect(guesses.blockCount).toBe(0);
  await upkeep.close();
  expect(vi.getTimerCount()).toBe(0);
});
