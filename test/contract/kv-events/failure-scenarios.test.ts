import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { cleared, FakeEngine, type FakeEngineOptions, removed, stored } from "../../unit/kv-events/fake-engine.ts";
import { FollowedRank } from "../../unit/kv-events/followed-rank.ts";

const file = new URL("../../fixtures/kv/failure_scenarios.json", import.meta.url);
const scenarios = JSON.parse(readFileSync(file, "utf8")) as { cases: { name: string; ideal: string }[] };
const closing: (() => Promise<void>)[] = [];

async function engineOf(options: FakeEngineOptions = {}): Promise<FakeEngine> {
  const engine = await FakeEngine.start(options);
  closing.push(() => engine.stop());
  return engine;
}

function follow(engine: FakeEngine, options = {}): FollowedRank {
  const rank = new FollowedRank(engine, options);
  closing.push(() => rank.subscriber.close());
  return rank;
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const runs: Readonly<Record<string, () => Promise<void>>> = {
  join_idle_engine: async () => {
    const engine = await engineOf({ replay: "plain" });
    await engine.publish([stored([1, 2])]);
    await engine.publish([stored([3, 4], 2)]);
    await follow(engine).expectOverlap([1, 2, 3, 4], 4);
  },
  engine_restart_seq_from_zero: async () => {
    const engine = await engineOf();
    const rank = follow(engine);
    await engine.subscribed();
    for (const block of [1, 2, 3, 4, 5, 6])
      await engine.publish([stored([block], block === 1 ? undefined : block - 1)]);
    await rank.expectOverlap([1, 2, 3, 4, 5, 6], 6);
    const { endpoints } = engine;
    await engine.stop();
    const restarted = (await engineOf({ endpoints })).useStampsFrom(1_000);
    await restarted.subscribed();
    for (const block of [11, 12, 13]) await restarted.publish([stored([block], block === 11 ? undefined : block - 1)]);
    await rank.expectOverlap([11, 12, 13], 3);
    expect(rank.overlap([1, 2, 3, 4, 5, 6])).toBe(0);
  },
  replay_never_answers: async () => {
    const engine = await engineOf({ replay: "mute" });
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publish([stored([2], 1)], { lost: true });
    await engine.publish([cleared]);
    await rank.expectOverlap([1], 0);
  },
  gap_lost_removal_without_replay: async () => {
    const engine = await engineOf();
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([1, 2, 3])]);
    await rank.expectOverlap([1, 2, 3], 3);
    await engine.publish([removed([1, 2, 3])], { lost: true });
    await engine.publish([stored([9])]);
    await rank.expectOverlap([9], 1);
    expect(rank.overlap([1, 2, 3])).toBe(0);
    expect(rank.count("lost_tracks")).toBe(1);
  },
  unknown_event_next_to_removal: async () => {
    const engine = await engineOf();
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publish([["BlockMoved", [1], "somewhere"], removed([1])]);
    await rank.expectOverlap([1], 0);
  },
  bytes_hashes: async () => {
    const engine = await engineOf();
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([["BlockStored", [Buffer.alloc(32, 0xab)], null, [4, 5, 6, 7], 4, null]]);
    await rank.expectOverlap([1], 1);
    await engine.publish([["BlockRemoved", [Buffer.alloc(32, 0xab)]]]);
    await rank.expectOverlap([1], 0);
  },
  random_hashes_per_process: async () => {
    const engine = await engineOf();
    const other = await engineOf();
    const first = follow(engine);
    const second = follow(other, { index: first.index, slot: 1 });
    await Promise.all([engine.subscribed(), other.subscribed()]);
    await engine.publish([stored([1, 2], undefined, 100)]);
    await other.publish([stored([1, 2], undefined, 7_000)]);
    await first.expectOverlap([1, 2], 2);
    await second.expectOverlap([1, 2], 2);
    await other.publish([stored([3], 2, 7_000)]);
    await second.expectOverlap([1, 2, 3], 3);
    await other.publish([removed([3, 2, 1], 7_000)]);
    await second.expectOverlap([1, 2, 3], 0);
    expect(first.overlap([1, 2, 3])).toBe(2);
  },
};

describe("a followed engine", () => {
  it.each(scenarios.cases)("$name: $ideal", async ({ name }) => {
    const run = runs[name];
    if (run === undefined) throw new Error(`no run for the scenario ${name}`);
    await run();
  });
});
