import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { assembleCore } from "../../../../src/commands/assemble.ts";
import { CoreSource } from "../../../../src/commands/console/core-source.ts";
import { everyMultiple } from "../../../../src/commands/console/history-timer.ts";
import { readinessOf } from "../../../../src/commands/readiness.ts";
import { servedModels } from "../../../../src/commands/served-models.ts";
import { loadConfig } from "../../../../src/config/index.ts";
import { JsonReader } from "../../../../src/json/index.ts";
import { type ConsoleState, History } from "../../../../src/surface/admin/index.ts";
import { Metrics } from "../../../../src/telemetry/index.ts";
import { readState } from "../../../support/console/states.ts";

function start(names: readonly string[], admin: object = {}) {
  const config = loadConfig({
    text: JSON.stringify({
      models: [{ name: "m", loadOnly: true, aliases: ["n"], adapters: ["lora"] }],
      workers: names.map((name, i) => ({ name, endpoint: `10.0.0.${i + 1}:80`, dpSize: 2, totalKvBlocks: 100 })),
      admission: { maxRequests: 5, maxQueued: 64 },
      admin,
    }),
    env: {},
  });
  const core = assembleCore(config, {
    models: servedModels(config).registry,
    random: () => 0,
    jsonReader: new JsonReader({ internedBytes: 1_024 }),
  });
  const metrics = new Metrics({ models: ["m"], version: "1", llmd: undefined });
  let now = 0;
  const source = new CoreSource(
    {
      config,
      core,
      metrics,
      follower: { statusOf: () => undefined },
      problemsOf: () => [],
      isLoadShared: false,
      readiness: readinessOf(config),
      recovery: undefined,
      replication: undefined,
    },
    new History(config.admin),
    { wall: () => 1_000_000 + now, now: () => now },
    900_000,
  );
  return { core, metrics, source, advance: (ms: number) => (now += ms) };
}

async function read(source: CoreSource): Promise<ConsoleState> {
  return readState(await source.state());
}

function namesOf(state: ConsoleState) {
  return state.workers.map(({ name }) => name);
}

describe("the state of one picker", () => {
  it("lists its workers by name, numbers in them as numbers", async () => {
    const { source } = start(["gpu-10", "gpu-9", "a", "gpu-2"]);
    expect(namesOf(await read(source))).toEqual(["a", "gpu-2", "gpu-9", "gpu-10"]);
  });

  it("follows who comes and goes", async () => {
    const { core, source } = start(["b", "c"]);
    await read(source);
    const [first] = core.catalogue.workers();
    if (first === undefined) throw new Error("two workers are configured");
    core.catalogue.remove(first.id);
    const { id: _id, ...rest } = first;
    core.catalogue.put({ ...rest, id: 77n as typeof first.id, name: "a", endpoint: "10.0.0.9:80" });
    expect(namesOf(await read(source))).toEqual(["a", "c"]);
  });

  it("moves who is called by another name", async () => {
    const { core, source } = start(["a", "b"]);
    await read(source);
    const [first] = core.catalogue.workers();
    if (first === undefined) throw new Error("two workers are configured");
    expect(core.catalogue.put({ ...first, id: first.id, name: "c" })).toBe(first);
    expect(namesOf(await read(source))).toEqual(["b", "c"]);
  });

  it("holds as many ranks as the settings allow, and counts the workers that are left out", async () => {
    const { source } = start(["a", "b", "c", "d"], { maxRanks: 5 });
    const state = await read(source);
    expect(namesOf(state)).toEqual(["a", "b"]);
    expect(state.workersLeftOut).toBe(2);
  });

  it("leaves none out that comes while the others are read", async () => {
    const { core, source } = start(["a", "b"]);
    const reading = await source.state();
    const [first] = core.catalogue.workers();
    if (first === undefined) throw new Error("two workers are configured");
    const { id: _id, ...rest } = first;
    const come = () => core.catalogue.put({ ...rest, id: 77n as typeof first.id, name: "c", endpoint: "10.0.0.9:80" });
    const workers = function* () {
      for (const worker of reading.workers()) {
        if (worker !== undefined) come();
        yield worker;
      }
    };
    const state = readState({ ...reading, workers });
    expect([namesOf(state), core.catalogue.size, state.workersLeftOut]).toEqual([["a", "b"], 3, 0]);
  });

  it("shows no rank of a worker that goes while it is read, nor a worker that has gone before", async () => {
    const { core, source } = start(["a", "b", "c"]);
    const state = await source.state();
    const shown = [];
    for (const worker of state.workers()) {
      if (worker === undefined) continue;
      const [rank] = worker.ranks;
      shown.push([worker.name, rank?.dpRank]);
      for (const { id, name } of [...core.catalogue.workers()]) if (name !== "c") core.catalogue.remove(id);
      expect([...worker.ranks]).toEqual([]);
    }
    expect(shown).toEqual([
      ["a", 0],
      ["c", 0],
    ]);
  });

  it("has what is booked, and what it was when a point of the history was made", async () => {
    const { core, source, advance, metrics } = start(["a"]);
    source.addPoint();
    const [rank] = core.catalogue.ranksFor("m");
    if (rank === undefined) throw new Error("a worker is configured");
    core.loads.reserve(rank.slot, { promptTokens: 30, cachedTokens: 0, sequence: new Uint32Array(4), count: 2 });
    metrics.requests.told({ model: "m", api: "chat", mode: "reserve", inputTokens: 30, predictedCachedTokens: 0 });
    advance(5_000);
    source.addPoint();
    const state = await read(source);
    expect(state.workers[0]?.ranks[0]).toMatchObject({
      booked: { requests: 1, prefillTokens: 30 },
      requestsTotal: 1,
      totalKvBlocks: 100,
    });
    expect(state.workers[0]?.ranks[1]).toMatchObject({ booked: { requests: 0 }, requestsTotal: 0 });
    expect(state.history).toMatchObject({ atMs: [1_005_000], picks: [1], requests: [1], picksPerSecond: [0.2] });
    expect(state.admission).toEqual({ waiting: 0, maxWaiting: 64 });
  });

  it("has the latest refusals, also of those who never came to a choice", async () => {
    const { source, metrics } = start(["a"]);
    metrics.requests.failed({ code: "unknown_model", field: "model", message: "no such model", durationMs: 1 });
    for (let i = 0; i < 60; i++) metrics.refusals.add({ surface: "proxy", code: "not_ready", requestId: String(i) });
    const state = await read(source);
    expect(state.refusals).toHaveLength(50);
    expect(state.refusals[0]).toMatchObject({ id: "61", surface: "proxy", code: "not_ready", requestId: "59" });
    expect(state.totals.refusals).toBe(61);
  });

  it("says of a model why it is placed by load, and by which names it is known", async () => {
    const { source, metrics } = start(["a"]);
    metrics.requests.inexact("m", "an image");
    const state = await read(source);
    expect(state.models).toMatchObject([
      {
        name: "m",
        aliases: ["n", "lora"],
        tokens: "load",
        loadReason: "its setting loadOnly is on",
        inexact: { "an image": 1 },
      },
    ]);
    expect(state.ready).toEqual({ isReady: false, reasons: ["the models are being loaded"] });
  });

  it("explains no decision that is not kept", async () => {
    const { source } = start(["a"]);
    expect(await source.explain("1")).toBeUndefined();
    expect(await source.explain("2-1")).toBeUndefined();
    expect(await source.picks(10, undefined)).toEqual([]);
  });
});

describe("points of the history", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_007 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("come at multiples of their interval, until they are stopped", () => {
    const at: number[] = [];
    const stop = everyMultiple(20, () => at.push(Date.now()), Date.now);
    vi.advanceTimersByTime(80);
    expect(at).toEqual([1_000_020, 1_000_040, 1_000_060, 1_000_080]);
    stop();
    vi.advanceTimersByTime(200);
    expect(at).toHaveLength(4);
  });

  it("come once for each multiple, however early a timer is", () => {
    const at: number[] = [];
    let earlyMs = 0;
    const stop = everyMultiple(
      20,
      () => at.push(Date.now() - earlyMs),
      () => Date.now() - earlyMs,
    );
    earlyMs = 3;
    vi.advanceTimersByTime(80);
    stop();
    expect(at).toEqual([1_000_017, 1_000_040, 1_000_060, 1_000_080]);
  });
});
