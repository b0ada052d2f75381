import { describe, expect, it } from "vitest";
import { MergedReading } from "../../../../src/commands/console/merged-reading.ts";
import type { PickerFacts } from "../../../../src/commands/console/merged-state.ts";
import { stateLines, ToldReading } from "../../../../src/commands/console/state-lines.ts";
import type { ShardStatus } from "../../../../src/commands/shards/shard-supervisor.ts";
import type { ConsoleRank, ConsoleRefusal, ConsoleState, ConsoleWorker } from "../../../../src/surface/admin/index.ts";
import { pickOf, readingOf, readState, stateOf } from "../../../support/console/states.ts";

const noHistory = stateOf().history;

const facts: PickerFacts = {
  nowAtMs: 5_000,
  updateIntervalMs: 1_000,
  version: "1.2.3",
  modes: ["proxy"],
  startedAtMs: 1,
  history: noHistory,
  name: "picker",
  sharesLoad: false,
};

function load(requests: number, prefillTokens = 0, decodeBlocks = 0) {
  return { requests, prefillTokens, decodeBlocks };
}

function rank(changes: Partial<ConsoleRank>): ConsoleRank {
  return {
    dpRank: 0,
    booked: load(0),
    siblings: undefined,
    foreign: undefined,
    requestsTotal: 0,
    heldBlocks: { total: 0, device: 0, host: 0, disk: 0, external: 0 },
    guessedBlocks: 0,
    totalKvBlocks: undefined,
    kvEvents: undefined,
    engine: undefined,
    ...changes,
  };
}

function worker(changes: Partial<ConsoleWorker>): ConsoleWorker {
  return {
    id: "1",
    name: "w",
    endpoint: "10.0.0.1:80",
    role: "aggregated",
    health: "healthy",
    isDraining: false,
    isEligible: true,
    models: [],
    problems: [],
    ranks: [rank({})],
    ...changes,
  };
}

/** As a shard sends it, in pieces that are cut anywhere. */
function told(state: ConsoleState): ToldReading {
  const text = [...stateLines(readingOf(state))].join("");
  return new ToldReading(text.match(/[\s\S]{1,700}/g) ?? []);
}

function mergedViews(
  views: readonly (ShardStatus & { readonly state: ConsoleState | undefined })[],
  changes: Partial<PickerFacts> = {},
): ConsoleState {
  const shards = views.map(({ state, ...status }) => ({ status, reading: state && told(state) }));
  return readState(new MergedReading(shards, () => ({ ...facts, ...changes })));
}

function merged(states: readonly (Partial<ConsoleState> | undefined)[], changes: Partial<PickerFacts> = {}) {
  const views = states.map((state, shard) => ({
    shard,
    isReady: state !== undefined,
    restarts: 0,
    state: state && stateOf({ workers: [], picks: [], replicas: undefined, recovery: undefined, ...state }),
  }));
  return mergedViews(views, changes);
}

describe("the state of several processes of one picker", () => {
  it("sums up what each has booked, and what it has counted", () => {
    const views = [2, 3].map((requests) =>
      worker({ ranks: [rank({ booked: load(requests, 10 * requests, requests), requestsTotal: 100 })] }),
    );
    const totals = { picks: 5, refusals: 1, promptBlocks: 10, heldBlocks: 4 };
    const state = merged(views.map((view) => ({ workers: [view], totals })));
    expect(state.workers).toHaveLength(1);
    expect(state.workers[0]?.ranks[0]).toMatchObject({ booked: load(5, 50, 5), requestsTotal: 200 });
    expect(state.totals).toEqual({ picks: 10, refusals: 2, promptBlocks: 20, heldBlocks: 8 });
    expect(state.shards).toMatchObject([
      { shard: 0, isTold: true, totals, requests: 2 },
      { shard: 1, isTold: true, totals, requests: 3 },
    ]);
  });

  it("takes what its processes tell each other for no sibling's", () => {
    // Of 9 requests in all, 2 and 3 are its own, and 4 another replica's.
    const ranks = [rank({ booked: load(2), siblings: load(7) }), rank({ booked: load(3), siblings: load(6) })];
    const states = ranks.map((each) => ({ workers: [worker({ ranks: [each] })] }));
    expect(merged(states).workers[0]?.ranks[0]?.siblings).toBeUndefined();
    expect(merged(states, { sharesLoad: true }).workers[0]?.ranks[0]?.siblings).toEqual(load(4));
  });

  it("has no replicas but those that are none of its processes", () => {
    const sibling = (id: string) => ({ id, name: id, heardAgoMs: 1, missed: 0, requests: 0, ranks: 0 });
    const replicas = (id: string, others: readonly string[]) => ({
      id,
      name: `picker-${id}`,
      isConnected: true,
      isNameShared: false,
      siblings: others.map(sibling),
    });
    const states = [{ replicas: replicas("a", ["b", "c"]) }, { replicas: replicas("b", ["a", "c"]) }];
    expect(merged(states).replicas).toBeUndefined();
    expect(merged(states, { sharesLoad: true }).replicas).toMatchObject({ name: "picker", siblings: [{ id: "c" }] });
  });

  it("shows a worker as the process sees it that is worst off", () => {
    const problem = { kind: "stale", message: "lost" };
    const events = { ...stateOf().workers[0]?.ranks[0]?.kvEvents, state: "live", gaps: 1, problems: [] };
    const broken = { ...events, state: "problem", gaps: 0, lastSequence: "7", problems: [problem] };
    const views = [events, broken].map((kvEvents, i) =>
      worker({
        health: i === 0 ? "healthy" : "unhealthy",
        isEligible: i === 0,
        ranks: [rank({ kvEvents: kvEvents as NonNullable<ConsoleRank["kvEvents"]> })],
      }),
    );
    const [shown] = merged(views.map((view) => ({ workers: [view] }))).workers;
    expect(shown).toMatchObject({ health: "unhealthy", isEligible: false });
    expect(shown?.ranks[0]?.kvEvents).toMatchObject({
      state: "problem",
      gaps: 1,
      lastSequence: "7",
      problems: [problem],
    });
  });

  it("knows the cache of a rank as the fullest index does", () => {
    const held = (total: number) => ({ total, device: total, host: 1, disk: 0, external: 0 });
    const views = [3, 9, 6].map((total) => ({ workers: [worker({ ranks: [rank({ heldBlocks: held(total) })] })] }));
    expect(merged(views).workers[0]?.ranks[0]?.heldBlocks).toEqual(held(9));
  });

  it("lists a worker that only one of them knows", () => {
    const state = merged([
      { workers: [worker({ id: "1", name: "gpu-2" }), worker({ id: "3", name: "gpu-10" })] },
      {
        workers: [
          worker({ id: "4", name: "a" }),
          worker({ id: "2", name: "gpu-2" }),
          worker({ id: "3", name: "gpu-10" }),
        ],
      },
      { workers: [worker({ id: "1", name: "gpu-2" })] },
    ]);
    expect(state.workers.map(({ id, name }) => [name, id])).toEqual([
      ["a", "4"],
      ["gpu-2", "1"],
      ["gpu-2", "2"],
      ["gpu-10", "3"],
    ]);
  });

  it("lists a worker once that one of them knows by another name already", () => {
    const state = merged([
      { workers: [worker({ id: "1", name: "a" }), worker({ id: "2", name: "b" })] },
      { workers: [worker({ id: "2", name: "b" }), worker({ id: "1", name: "c" })] },
    ]);
    expect(state.workers.map(({ id }) => id)).toEqual(["1", "2"]);
  });

  it("has the ranks of the first that knows a worker, with what others say of these", () => {
    const ranks = (...ofRanks: readonly number[]) =>
      ofRanks.map((dpRank) => rank({ dpRank, booked: load(10 + dpRank) }));
    const state = merged([
      { workers: [worker({ ranks: ranks(1, 3) }), worker({ id: "2", name: "x" })] },
      { workers: [worker({ ranks: ranks(0, 1, 2, 4) }), worker({ id: "2", name: "x", ranks: ranks(0) })] },
    ]);
    expect(state.workers.map((each) => each.ranks.map(({ dpRank, booked }) => [dpRank, booked.requests]))).toEqual([
      [
        [1, 22],
        [3, 13],
      ],
      [[0, 10]],
    ]);
    // All that it has booked, also where another knows no such rank.
    expect(state.shards?.map(({ requests }) => requests)).toEqual([24, 57]);
  });

  it("has the latest decisions of all, each by its process", () => {
    const state = merged([
      { picks: [pickOf("9", { atMs: 300 }), pickOf("8", { atMs: 100 })] },
      { picks: [pickOf("4", { atMs: 200 }), pickOf("3", { atMs: 200 })] },
    ]);
    expect(state.picks.map(({ id }) => id)).toEqual(["0-9", "1-4", "1-3", "0-8"]);
    const many = Array.from({ length: 50 }, (_, i) => pickOf(String(100 - i)));
    expect(merged([{ picks: many }, { picks: many }]).picks).toHaveLength(50);
  });

  it("has the latest refusals of all, each by its process", () => {
    const refusal = (id: string, atMs: number): ConsoleRefusal => {
      return {
        id,
        atMs,
        surface: "proxy",
        status: 503,
        code: "not_ready",
        field: undefined,
        reason: undefined,
        requestId: undefined,
      };
    };
    const many = Array.from({ length: 50 }, (_, i) => refusal(String(100 - i), 100));
    const state = merged([{ refusals: [refusal("9", 300), refusal("8", 100)] }, { refusals: [refusal("4", 200)] }]);
    expect(state.refusals.map(({ id }) => id)).toEqual(["0-9", "1-4", "0-8"]);
    expect(merged([{ refusals: many }, { refusals: many }]).refusals).toHaveLength(50);
  });

  it("adds up points of one time", () => {
    const latest = { picksPerSecond: 1.1, refusalsPerSecond: 0, promptBlocks: 10, heldBlocks: 1, hitRatio: 0.1 };
    const history = (atMs: readonly number[], picks: readonly number[]) => ({
      ...noHistory,
      atMs,
      picks,
      refusals: picks,
      promptBlocks: picks,
      heldBlocks: picks,
      picksPerSecond: picks.map((each) => each / 10),
      requests: picks,
      latest,
    });
    const state = merged([
      { history: history([5_000, 10_000, 15_000], [1, 2, 3]) },
      { history: { ...history([10_000, 15_000, 20_000], [10, 20, 30]), latest: { ...latest, heldBlocks: 4 } } },
    ]);
    expect(state.history).toMatchObject({
      atMs: [5_000, 10_000, 15_000, 20_000],
      picks: [1, 12, 23, 30],
      picksPerSecond: [0.1, 1.2, 2.3, 3],
      latest: { picksPerSecond: 2.2, promptBlocks: 20, heldBlocks: 5, hitRatio: 0.25 },
    });
  });

  it("says of each process why it does not answer requests", () => {
    const waiting = { ready: { isReady: false, reasons: ["the models are being loaded"] } };
    const views = [
      { shard: 0, isReady: false, restarts: 0, state: stateOf(waiting) },
      { shard: 1, isReady: true, restarts: 3, state: stateOf() },
      { shard: 2, isReady: false, restarts: 0, state: undefined },
    ];
    const state = mergedViews(views);
    expect(state.ready).toEqual({
      isReady: true,
      reasons: ["shard 0: the models are being loaded", "shard 2 does not answer"],
    });
    expect(state.shards?.map(({ isTold, restarts }) => [isTold, restarts])).toEqual([
      [true, 0],
      [true, 3],
      [false, 0],
    ]);
  });

  it("is one without anything while none of them answers", () => {
    expect(merged([undefined, undefined])).toMatchObject({
      version: "1.2.3",
      ready: { isReady: false, reasons: ["shard 0 does not answer", "shard 1 does not answer"] },
      workers: [],
      models: [],
      picks: [],
      totals: { picks: 0 },
      history: noHistory,
    });
  });

  it("sums up a model's memory, and counts its blocks once", () => {
    const [model] = stateOf().models;
    if (model === undefined) throw new Error("the example has models");
    const index = { blocks: 10, maxBlocks: 100, guessedBlocks: 2, usedBytes: 1_000, evictedBlocks: 1 };
    const state = merged([
      { models: [{ ...model, index, inexact: { a: 1 } }] },
      { models: [{ ...model, tokens: "loading", index: { ...index, blocks: 12 }, inexact: { a: 2, b: 1 } }] },
    ]);
    expect(state.models).toMatchObject([
      {
        name: model.name,
        tokens: "loading",
        inexact: { a: 3, b: 1 },
        index: { blocks: 12, maxBlocks: 100, guessedBlocks: 4, usedBytes: 2_000, evictedBlocks: 2 },
      },
    ]);
  });
});
