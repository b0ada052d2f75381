import { afterEach, describe, expect, it, vi } from "vitest";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { BatchMemory, type RestoredRank } from "../../../src/kv-events/index.ts";
import { cleared, FakeEngine, type FakeEngineOptions, removed, stored } from "./fake-engine.ts";
import { FollowedRank } from "./followed-rank.ts";

const closing: (() => Promise<void>)[] = [];

async function engineOf(options: FakeEngineOptions = {}): Promise<FakeEngine> {
  const engine = await FakeEngine.start(options);
  closing.push(() => engine.stop());
  return engine;
}

type FollowOptions = NonNullable<ConstructorParameters<typeof FollowedRank>[1]>;

function follow(engine: FakeEngine, options: FollowOptions = {}): FollowedRank {
  const rank = new FollowedRank(engine, options);
  closing.push(() => rank.subscriber.close());
  return rank;
}

async function followedEngine(engineOptions: FakeEngineOptions = {}, options: FollowOptions = {}) {
  const engine = await engineOf(engineOptions);
  const rank = follow(engine, options);
  await engine.subscribed();
  return { engine, rank };
}

/** Makes rank 0 hold blocks, as a peer's dump would. */
function restore(index: PrefixIndex, blocks: readonly number[]): void {
  const tokens = Uint32Array.from(blocks.flatMap((block) => [0, 1, 2, 3].map((i) => 4 * block + i)));
  index.store(0, {
    parentHash: undefined,
    blockHashes: Uint32Array.from(blocks.flatMap((block) => [block, 0])),
    localHashes: hashBlocks(tokens, { blockSize: 4 }).local,
  });
}

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A rank that waits to be restored. */
async function heldRank(engine: FakeEngine, options: FollowOptions = {}) {
  const { promise, resolve } = Promise.withResolvers<RestoredRank | undefined>();
  const rank = follow(engine, { ...options, restored: promise });
  await engine.subscribed();
  return { rank, release: resolve };
}

describe("a rank that waits for a peer's picture of it", () => {
  it("is told nothing before, and then all that came meanwhile, in order", async () => {
    const engine = await engineOf();
    await engine.publish([stored([1])], { lost: true });
    const { rank, release } = await heldRank(engine);
    await engine.publish([stored([2], 1)]);
    await engine.publish([removed([2]), stored([3], 1)]);
    await vi.waitFor(() => expect(rank.subscriber.status.isConnected).toBe(true));
    expect(rank.index.blockCount).toBe(0);
    restore(rank.index, [1]);
    release({ point: undefined });
    await rank.expectOverlap([1, 3], 2);
    expect(rank.overlap([1, 2])).toBe(1);
    await rank.subscriber.caughtUp;
  });

  it("begins with its engine alone when there is no such picture", async () => {
    const engine = await engineOf({ replay: "plain" });
    await engine.publish([stored([1])]);
    const { rank, release } = await heldRank(engine);
    await engine.publish([stored([2], 1)]);
    release(undefined);
    await rank.subscriber.caughtUp;
    expect(rank.overlap([1, 2])).toBe(2);
  });

  it("asks the engine only for what came after the picture, and counts nothing twice", async () => {
    const engine = await engineOf({ replay: "plain" });
    await engine.publish([stored([1])]);
    const peer = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([2], 1)]);
    await vi.waitFor(() => expect(peer.subscriber.point?.sequence).toBe(1));
    const { point } = peer.subscriber;
    expect(point).toMatchObject({ sequence: 1, isComplete: true });
    engine.replayRequests.splice(0);
    const { rank, release } = await heldRank(engine);
    await engine.publish([stored([3], 2)]);
    await peer.expectOverlap([1, 2, 3], 3);
    // The picture is newer than its point says.
    restore(rank.index, [1, 2, 3]);
    release({ point });
    await rank.subscriber.caughtUp;
    expect(engine.replayRequests.every((from) => from >= 1)).toBe(true);
    await engine.publish([removed([3])]);
    await rank.expectOverlap([1, 2, 3], 2);
  });

  it("forgets the picture when it is of another engine", async () => {
    const old = await engineOf({ replay: "plain" });
    const peer = follow(old);
    await old.subscribed();
    await old.publish([stored([1])]);
    await vi.waitFor(() => expect(peer.subscriber.point?.sequence).toBe(0));
    const engine = (await engineOf({ replay: "plain" })).useStampsFrom(1_000);
    await engine.publish([stored([7])]);
    await engine.publish([stored([8], 7)]);
    const { rank, release } = await heldRank(engine);
    restore(rank.index, [1]);
    release({ point: peer.subscriber.point });
    await rank.subscriber.caughtUp;
    expect(rank.overlap([7, 8])).toBe(2);
    expect(rank.overlap([1])).toBe(0);
  });

  it("forgets the picture when its engine has never told anything", async () => {
    const engine = await engineOf({ replay: "plain" });
    const { rank, release } = await heldRank(engine);
    await vi.waitFor(() => expect(rank.subscriber.status.isConnected).toBe(true));
    restore(rank.index, [1]);
    release({ point: undefined });
    await rank.subscriber.caughtUp;
    expect(rank.overlap([1])).toBe(0);
  });

  it("forgets the picture when the engine's first batch comes live", async () => {
    const engine = await engineOf();
    const { rank, release } = await heldRank(engine);
    restore(rank.index, [1]);
    release({ point: undefined });
    await engine.publish([stored([5])]);
    await rank.expectOverlap([5], 1);
    expect(rank.overlap([1])).toBe(0);
  });

  it("knows by the point of its picture that events are missing", async () => {
    const engine = await engineOf();
    const peer = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([1])]);
    await vi.waitFor(() => expect(peer.subscriber.point?.sequence).toBe(0));
    const { point } = peer.subscriber;
    await engine.publish([removed([1])], { lost: true });
    const { rank, release } = await heldRank(engine);
    restore(rank.index, [1]);
    release({ point });
    await engine.publish([stored([9])]);
    await rank.expectOverlap([9], 1);
    expect(rank.count("lost_tracks")).toBe(1);
    expect(rank.overlap([1])).toBe(0);
  });

  it("has no point of its own that a peer could rely on after events were lost", async () => {
    const engine = await engineOf({ replay: "plain", bufferBatches: 1 });
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([1])]);
    const expectPoint = (expected: object) => vi.waitFor(() => expect(rank.subscriber.point).toMatchObject(expected));
    await expectPoint({ sequence: 0, isComplete: true });
    await engine.publish([stored([2], 1)], { lost: true });
    await engine.publish([stored([3])], { lost: true });
    await engine.publish([stored([4])]);
    await expectPoint({ sequence: 3, isComplete: false });
    await engine.publish([cleared]);
    await expectPoint({ sequence: 4, isComplete: true });
  });

  it("closes while it waits", async () => {
    const engine = await engineOf({ replay: "plain" });
    const memory = new BatchMemory();
    const { rank } = await heldRank(engine, { memory });
    await engine.publish([stored([1])]);
    await vi.waitFor(() => expect(memory.bytes).toBeGreaterThan(0));
    await rank.subscriber.close();
    await rank.subscriber.caughtUp;
    expect(rank.index.blockCount).toBe(0);
    expect(memory.bytes).toBe(0);
  });

  it("keeps no more than its bounds, and loses nothing that the engine's side keeps", async () => {
    const engine = await engineOf();
    const memory = new BatchMemory(20_000);
    const few = await heldRank(engine, { memory, maxPendingBatches: 5 });
    const many = await heldRank(engine, { memory });
    const blocks = Array.from({ length: 300 }, (_, i) => i + 1);
    for (const block of blocks) await engine.publish([stored([block], block === 1 ? undefined : block - 1)]);
    await vi.waitFor(() => expect(memory.bytes).toBeGreaterThan(19_000));
    expect(memory.bytes).toBeLessThan(21_000);
    for (const { rank, release } of [few, many]) {
      release(undefined);
      await rank.expectOverlap(blocks, 300);
    }
    expect(memory.bytes).toBe(0);
  });
});

describe("KvEventSubscriber", () => {
  it("applies live stores, removals and clears in order", async () => {
    const { engine, rank } = await followedEngine();
    await engine.publish([stored([1, 2, 3]), removed([3])]);
    await rank.expectOverlap([1, 2, 3], 2);
    await engine.publish([cleared, stored([5])]);
    await rank.expectOverlap([5], 1);
    expect(rank.overlap([1])).toBe(0);
    expect(rank.subscriber.status).toMatchObject({ lastSequence: 1, isStale: false, hasSeenEvents: true });
  });

  it.each(["plain", "with-topic"] as const)("fills a gap by replay (%s frames)", async (replay) => {
    const { engine, rank } = await followedEngine({ replay });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publish([stored([2], 1)], { lost: true });
    await engine.publish([stored([3], 2)], { lost: true });
    await engine.publish([stored([4], 3)]);
    await rank.expectOverlap([1, 2, 3, 4], 4);
    expect(rank.count("gaps")).toBe(1);
    expect(rank.count("lost_tracks")).toBe(0);
    expect(engine.replayRequests).toEqual([0, 0]);
  });

  it("joins late: takes what the engine still has, and the live batches after it once", async () => {
    const engine = await engineOf({ replay: "plain", bufferBatches: 3 });
    for (const block of [1, 2, 3, 4, 5]) await engine.publish([stored([block])]);
    const rank = follow(engine);
    await engine.subscribed();
    await engine.publish([stored([6])]);
    await rank.expectOverlap([6], 1);
    await rank.expectOverlap([5], 1);
    expect([1, 2].map((block) => rank.overlap([block]))).toEqual([0, 0]);
    expect(rank.count("restarts")).toBe(0);
    expect(rank.count("lost_tracks")).toBe(0);
  });

  it("fetches the first batches of an engine that had none when it was joined", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain" });
    await vi.waitFor(() => expect(engine.replayRequests).toEqual([0]));
    await engine.publish([stored([1])], { lost: true });
    await engine.publish([stored([2], 1)]);
    await rank.expectOverlap([1, 2], 2);
    expect(rank.count("gaps")).toBe(1);
  });

  it("resets the rank when the replay no longer has what was lost", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain", bufferBatches: 2 });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    for (const block of [2, 3, 4]) await engine.publish([stored([block])], { lost: true });
    await engine.publish([stored([5])]);
    await rank.expectOverlap([5], 1);
    expect([1, 2, 3, 4].map((block) => rank.overlap([block]))).toEqual([0, 0, 0, 1]);
    expect(rank.count("lost_tracks")).toBe(1);
  });

  it("keeps a rank whose track is lost, and says that it is stale, when so set", async () => {
    const { engine, rank } = await followedEngine({}, { onLostTrack: "stale" });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publish([removed([1])], { lost: true });
    await engine.publish([stored([2])]);
    await rank.expectOverlap([2], 1);
    expect(rank.overlap([1])).toBe(1);
    expect(rank.subscriber.status.isStale).toBe(true);
    await engine.publish([cleared]);
    await rank.expectOverlap([1], 0);
    expect(rank.subscriber.status.isStale).toBe(false);
  });

  it("notices on reconnecting that another engine answers, before that one says anything", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain" });
    await engine.publish([stored([1])]);
    await engine.publish([stored([2], 1)]);
    await rank.expectOverlap([1, 2], 2);
    const { endpoints } = engine;
    await engine.stop();
    const restarted = (await engineOf({ replay: "plain", endpoints })).useStampsFrom(1_000);
    await restarted.publish([stored([11])], { lost: true });
    await restarted.publish([stored([12], 11)], { lost: true });
    await restarted.publish([stored([13], 12)], { lost: true });
    await rank.expectOverlap([11, 12, 13], 3);
    expect(rank.overlap([1, 2])).toBe(0);
    expect(rank.count("restarts")).toBe(1);
  });

  it("notices on reconnecting that the new engine has nothing yet", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain" });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    const { endpoints } = engine;
    await engine.stop();
    await engineOf({ replay: "plain", endpoints });
    await rank.expectOverlap([1], 0);
  });

  it("keeps its state when the same engine is reached again", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain" });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    const { endpoints } = engine;
    await engine.stop();
    const again = await engineOf({ replay: "plain", endpoints });
    await again.publish([stored([1])], { lost: true });
    await again.subscribed();
    await again.publish([stored([2], 1)]);
    await rank.expectOverlap([1, 2], 2);
    expect(rank.count("restarts")).toBe(0);
    expect(rank.count("lost_tracks")).toBe(0);
  });

  it("asks once, when it has been quiet for some time, for batches that were lost as the last ones", async () => {
    const { engine, rank } = await followedEngine({ replay: "plain" });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publish([stored([2], 1)], { lost: true });
    const asked = engine.replayRequests.length;
    rank.subscriber.checkQuiet(60_000);
    rank.subscriber.checkQuiet(0);
    rank.subscriber.checkQuiet(0);
    await rank.expectOverlap([1, 2], 2);
    expect(engine.replayRequests.slice(asked)).toEqual([0]);
    rank.subscriber.checkQuiet(0);
    await vi.waitFor(() => expect(engine.replayRequests.slice(asked)).toEqual([0, 1]));
  });

  it("waits for a mute replay once, and not again for each gap", async () => {
    const { engine, rank } = await followedEngine({ replay: "mute" }, { replayIdleMs: 100 });
    for (const block of [1, 2, 3]) {
      await engine.publish([stored([90 + block])], { lost: true });
      await engine.publish([stored([block])]);
    }
    await rank.expectOverlap([3], 1);
    expect(rank.count("replay_failures")).toBe(1);
    expect(rank.count("lost_tracks")).toBe(2);
    expect(rank.warnings.filter((warning) => warning === "no replay of KV events")).toHaveLength(1);
  });

  it("fetches the beginning later when the replay was not there at first", async () => {
    const engine = await engineOf({ replay: "mute" });
    await engine.publish([stored([1])], { lost: true });
    const rank = follow(engine, { replayIdleMs: 50, replayBackoffMs: 0 });
    await engine.subscribed();
    await rank.expectCount("replay_failures", 1);
    await engine.publish([stored([2], 1)]);
    await vi.waitFor(() => expect(rank.index.stats.orphans).toBe(1));
    engine.unmute();
    await engine.publish([stored([3], 2)]);
    await rank.expectOverlap([1, 2, 3], 3);
    expect(rank.subscriber.status.lastSequence).toBe(2);
  });

  it("adds to what was restored, and counts no block twice that was replayed as well", async () => {
    const engine = await engineOf({ replay: "plain", bufferBatches: 1 });
    await engine.publish([stored([1])]);
    await engine.publish([stored([2], 1)]);
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
    restore(index, [1, 2]);
    const rank = follow(engine, { index });
    await engine.subscribed();
    await rank.expectCount("replayed_batches", 1);
    await rank.expectOverlap([1, 2], 2);
    await engine.publish([removed([2])]);
    await rank.expectOverlap([1, 2], 1);
    await engine.publish([stored([2], 1)]);
    await engine.publish([stored([2], 1)]);
    await engine.publish([removed([2]), stored([5])]);
    await rank.expectOverlap([5], 1);
    expect(rank.overlap([1, 2])).toBe(2);
  });

  it("forgets what was restored when the engine still has its whole story", async () => {
    const engine = await engineOf({ replay: "plain" });
    await engine.publish([stored([1])]);
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
    restore(index, [9]);
    const rank = follow(engine, { index });
    await rank.expectOverlap([1], 1);
    expect(rank.overlap([9])).toBe(0);
  });

  it("puts the events of other data-parallel ranks in their slots", async () => {
    const { engine, rank } = await followedEngine(
      {},
      { slotOfRank: (dpRank) => (dpRank < 2 ? 10 + dpRank : undefined) },
    );
    await engine.publish([stored([1])], { rank: 1 });
    await engine.publish([stored([1]), stored([2])], { rank: 7 });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1, 11);
    await rank.expectOverlap([1], 1, 0);
    expect(rank.count("unknown_rank_events")).toBe(2);
  });

  it("tells that the engine's blocks are of another size, until they are not", async () => {
    const { engine, rank } = await followedEngine();
    const event = ["BlockStored", [1], null, [1, 2, 3, 4, 5, 6, 7, 8], 8, null];
    await engine.publish([event, event]);
    await engine.publish([event]);
    await vi.waitFor(() => expect(rank.counts.get("filtered_events block_size_mismatch")).toBe(3));
    expect(rank.subscriber.status.foreignBlockSize).toBe(8);
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    expect(rank.subscriber.status.foreignBlockSize).toBeUndefined();
  });

  it("goes on after frames that are no message, and forgets the rank after a batch that it cannot read", async () => {
    const { engine, rank } = await followedEngine();
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publishFrames(["only a topic"]);
    await engine.publishFrames(["", "short", Buffer.from("x")]);
    await rank.expectCount("bad_batches", 2);
    expect(rank.overlap([1])).toBe(1);
    await engine.publishRaw(Buffer.from([0xc1]));
    await rank.expectOverlap([1], 0);
    await engine.publish([["Weird"], stored([2])]);
    await rank.expectOverlap([2], 1);
    expect(rank.counts.get("skipped_events unknown_event")).toBe(1);
  });

  it("decodes no batch beyond its bound, and goes on after it", async () => {
    const { engine, rank } = await followedEngine({}, { maxBatchBytes: 1_000 });
    await engine.publish([stored([1])]);
    await rank.expectOverlap([1], 1);
    await engine.publishFrames(["", Buffer.alloc(8), Buffer.alloc(1_001, 0x80)]);
    await rank.expectCount("bad_batches", 1);
    expect(rank.overlap([1])).toBe(1);
    await engine.publish([stored([2])]);
    await rank.expectOverlap([2], 1);
  });

  it("applies a store of more blocks than one slice", async () => {
    const { engine, rank } = await followedEngine();
    const blocks = Array.from({ length: 5_000 }, (_, i) => i + 1);
    await engine.publish([stored(blocks)]);
    await rank.expectOverlap(blocks, 5_000);
    await engine.publish([removed(blocks.slice(100))]);
    await rank.expectOverlap(blocks, 100);
    await engine.publish([cleared]);
    await rank.expectOverlap(blocks, 0);
  });

  it("tells how long the engine has been silent", async () => {
    const { rank } = await followedEngine();
    await vi.waitFor(() => expect(rank.subscriber.status.isConnected).toBe(true));
    expect(rank.subscriber.status).toMatchObject({ hasSeenEvents: false, lastSequence: undefined });
    expect(rank.subscriber.status.silentMs).toBeGreaterThanOrEqual(0);
  });

  it("closes while a replay waits", async () => {
    const engine = await engineOf({ replay: "mute" });
    const rank = follow(engine, { replayIdleMs: 60_000, replayTotalMs: 60_000 });
    await vi.waitFor(() => expect(engine.replayRequests).toHaveLength(1));
    await rank.subscriber.close();
    await rank.subscriber.close();
  });

  it("refuses an address that is none", async () => {
    const engine = await engineOf();
    expect(() => new FollowedRank(engine, { endpoint: "nowhere" })).toThrow(
      "cannot subscribe to KV events at 'nowhere'",
    );
  });

  it.each([{ blockSize: 0 }, { replayIdleMs: 0 }, { replayTotalMs: Number.NaN }, { replayBackoffMs: -1 }])(
    "refuses %o",
    async (options) => {
      const engine = await engineOf();
      expect(() => new FollowedRank(engine, options)).toThrow(RangeError);
    },
  );
});

it("goes on following after the index has refused a batch", async () => {
  const { engine, rank } = await followedEngine();
  const store = vi.spyOn(rank.index, "store").mockImplementationOnce(() => {
    throw new Error("refused");
  });
  await engine.publish([stored([1])]);
  await engine.publish([stored([2])]);
  await rank.expectOverlap([2], 1);
  expect(store).toHaveBeenCalledTimes(2);
  expect(rank.count("failed_batches")).toBe(1);
  expect(rank.count("lost_tracks")).toBe(1);
});
