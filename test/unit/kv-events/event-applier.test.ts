import { pack } from "msgpackr";
import { expect, it } from "vitest";
import { EventApplier, type KvEventSink } from "../../../src/kv-events/event-applier.ts";
import { TurnBudget } from "../../../src/kv-events/index.ts";
import { cleared as clear, stored } from "./fake-engine.ts";

/** A clock by which every look takes longer than a turn's share. */
const slowClock = () => {
  let now = 0;
  return { now: () => (now += 10) };
};

function applierWith(sink: Partial<KvEventSink>, signal: AbortSignal): EventApplier {
  return new EventApplier(
    { slot: 3, blockSize: 4 },
    {
      sink: {
        store: () => undefined,
        remove: () => undefined,
        addTier: () => undefined,
        clear: () => undefined,
        cacheSaltOf: () => undefined,
        blocksOf: () => 0,
        ...sink,
      },
      budget: new TurnBudget(slowClock()),
      counters: { add: () => undefined },
    },
    signal,
  );
}

it("changes nothing after it was closed, not even in the middle of a batch", async () => {
  const closing = new AbortController();
  const sizes: number[] = [];
  const applier = applierWith(
    {
      store: (_slot, blocks) => {
        sizes.push(blocks.blockHashes.length / 2);
        closing.abort();
      },
    },
    closing.signal,
  );
  const blocks = Array.from({ length: 3_000 }, (_, i) => i + 1);
  await expect(applier.apply(pack([0, [stored(blocks), stored([9_000])], null]), true)).rejects.toThrow("aborted");
  expect(sizes).toEqual([1_024]);
});

it("gives the event loop a turn between the slices of a store, and keeps the chain", async () => {
  const runs: { parent: number | undefined; blocks: number; turn: number }[] = [];
  let turn = 0;
  let isDone = false;
  const counting = (async () => {
    while (!isDone) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      turn++;
    }
  })();
  const applier = applierWith(
    {
      store: (slot, { parentHash, blockHashes }) => {
        expect(slot).toBe(3);
        runs.push({ parent: parentHash?.low, blocks: blockHashes.length / 2, turn });
      },
    },
    new AbortController().signal,
  );
  await applier.apply(pack([0, [stored(Array.from({ length: 2_500 }, (_, i) => i + 1))], null]), true);
  isDone = true;
  await counting;
  expect(runs.map(({ parent, blocks }) => [parent, blocks])).toEqual([
    [undefined, 1_024],
    [1_024, 1_024],
    [2_048, 452],
  ]);
  expect(new Set(runs.map((run) => run.turn)).size).toBe(3);
});

it("clears, and says that it has", async () => {
  const cleared: number[] = [];
  const applier = applierWith({ clear: (slot) => cleared.push(slot) }, new AbortController().signal);
  expect(await applier.apply(pack([0, [clear], null]), true)).toBe(true);
  expect(cleared).toEqual([3]);
});
