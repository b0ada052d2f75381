import { afterEach, describe, expect, it, vi } from "vitest";
import { type FollowedCore, KvFollower } from "../../../src/commands/kv-follower.ts";
import { NewsOwed } from "../../../src/commands/news-owed.ts";
import { staticWorkers } from "../../../src/fleet/index.ts";
import { hashBlocks, PrefixIndex } from "../../../src/kv/index.ts";
import { ModelRegistry } from "../../../src/router/index.ts";
import { type SimWorker, startSimWorker } from "../../../src/sim-worker/index.ts";
import { createLogger } from "../../../src/telemetry/index.ts";
import { FakeEngine, stored } from "../kv-events/fake-engine.ts";
import { fixture } from "../router/fixture.ts";

const settings = {
  replayTimeoutMs: 1_000,
  quietCheckMs: 0,
  reconnectMinMs: 100,
  reconnectMaxMs: 1_000,
  maxPendingBatches: 100,
  maxPendingBytes: 1_048_576,
  maxBatchBytes: 1_048_576,
  maxWaitingBlocks: 100,
  silentWorkerWarnMs: 0,
  predictedTtlMs: 0,
  unmatchedPromptMs: 0,
  onUnrepairableGap: "reset",
} as const;

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of closing.splice(0).toReversed()) await part.close();
});

async function engine(host = "127.0.0.1"): Promise<SimWorker> {
  const worker = await startSimWorker({ host, blockSize: 4, kvEventsPort: 0, kvReplayPort: 0, timeScale: 0 });
  closing.push(worker);
  return worker;
}

function coreOf(worker: SimWorker, models = ["m"]): FollowedCore {
  const { loads, catalogue } = fixture({ workers: [] });
  const served = models.map((name) => ({
    name,
    aliases: [],
    pipeline: undefined,
    index: new PrefixIndex({ blockSize: 4, maxBlocks: 1024 }),
  }));
  const registry = new ModelRegistry(served);
  catalogue.subscribe({
    onRemoved: ({ slot }) => {
      for (const { index } of served) index.clear(slot);
    },
  });
  const { kvEventsEndpoint = "", kvReplayEndpoint = "" } = worker;
  catalogue.replaceAll(
    staticWorkers([{ name: "w", endpoint: worker.endpoint, kvEvents: kvEventsEndpoint, kvReplay: kvReplayEndpoint }]),
  );
  return { loads, catalogue, models: registry };
}

interface Watched {
  readonly silentWorkerWarnMs?: number;
  readonly lines?: string[];
  readonly clock?: { now(): number };
}

function follow(core: FollowedCore, { silentWorkerWarnMs = 0, lines = [], clock }: Watched = {}): KvFollower {
  const log = createLogger({ level: "warn" }, { write: (line: string) => lines.push(line) });
  const follower = new KvFollower(core, { ...settings, silentWorkerWarnMs }, log, clock && { clock });
  closing.push(follower);
  return follower;
}

async function complete(worker: SimWorker, prompt: readonly number[]): Promise<void> {
  const body = JSON.stringify({ model: "sim-model", prompt, max_tokens: 1 });
  const answer = await fetch(`http://${worker.endpoint}/v1/completions`, { method: "POST", body });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

describe("following KV events", () => {
  it("fills the index of every model that the worker serves, also with what was stored before", async () => {
    const worker = await engine();
    await complete(worker, [1, 2, 3, 4, 5, 6, 7, 8]);
    const core = coreOf(worker, ["a", "b"]);
    const follower = follow(core);
    expect(follower.size).toBe(1);
    for (const { index } of core.models.values()) await vi.waitFor(() => expect(index.blockCount).toBe(2), 5_000);
    const [rank] = core.catalogue.ranksFor(undefined);
    expect(rank && follower.statusOf(rank)).toMatchObject({
      endpoint: worker.kvEventsEndpoint,
      isConnected: true,
      blocks: 2,
      gaps: 0,
      lastEventAgeMs: expect.any(Number),
      lastSentAtMs: expect.closeTo(Date.now(), -5),
      replays: 1,
      problems: [],
    });
  });

  it("reaches a worker over IPv6, live and replayed", async () => {
    const worker = await engine("::1");
    await complete(worker, [1, 2, 3, 4]);
    const core = coreOf(worker);
    follow(core);
    await vi.waitFor(() => expect(core.models.only?.index.blockCount).toBe(1), 5_000);
    await complete(worker, [5, 6, 7, 8]);
    await vi.waitFor(() => expect(core.models.only?.index.blockCount).toBe(2), 5_000);
  });

  it("forgets a worker that leaves", async () => {
    const worker = await engine();
    const core = coreOf(worker);
    const follower = follow(core);
    await complete(worker, [1, 2, 3, 4]);
    const index = core.models.only?.index;
    await vi.waitFor(() => expect(index?.blockCount).toBe(1), 5_000);
    core.catalogue.replaceAll([]);
    expect(index?.blockCount).toBe(0);
    expect(follower.size).toBe(0);
  });

  it("puts events where their batch says, and those of a rank that a lone worker is elsewhere to itself", async () => {
    const engines = [await FakeEngine.start(), await FakeEngine.start()];
    closing.push(...engines.map((engine) => ({ close: () => engine.stop() })));
    const index = new PrefixIndex({ blockSize: 4, maxBlocks: 100 });
    const core = {
      ...fixture({ workers: [] }),
      models: new ModelRegistry([{ name: "m", aliases: [], pipeline: undefined, index }]),
    };
    const [pair, lone] = engines.map(({ endpoints }) => endpoints.events);
    core.catalogue.replaceAll(
      staticWorkers([
        { name: "pair", endpoint: "10.0.0.1:80", dpSize: 2, kvEvents: pair ?? "" },
        { name: "lone", endpoint: "10.0.0.2:80", kvEvents: lone ?? "" },
      ]),
    );
    follow(core);
    await Promise.all(engines.map((engine) => engine.subscribed()));
    await engines[0]?.publish([stored([1, 2])], { rank: 1 });
    await engines[0]?.publish([stored([1])], { rank: 9 });
    await engines[1]?.publish([stored([1, 2, 3])], { rank: 9 });
    const held = () =>
      core.catalogue.ranksFor(undefined).map((rank) => [rank.worker.name, rank.dpRank, index.blocksOf(rank.slot)]);
    await vi.waitFor(
      () =>
        expect(held().toSorted()).toEqual([
          ["lone", 0, 3],
          ["pair", 0, 0],
          ["pair", 1, 2],
        ]),
      5_000,
    );
  });

  it("warns once of a worker that takes requests and publishes nothing", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const worker = await engine();
      let nowMs = 0;
      const newsOwed = new NewsOwed({ now: () => nowMs });
      const core = { ...coreOf(worker), newsOwed };
      const lines: string[] = [];
      const follower = follow(core, { silentWorkerWarnMs: 1_000, lines, clock: { now: () => nowMs } });
      nowMs = 5_000;
      vi.advanceTimersByTime(5_000);
      expect(lines).toEqual([]);
      const [model] = core.models.values();
      const [rank] = core.catalogue.ranksFor(undefined);
      if (model === undefined || rank === undefined) throw new Error("no model or rank");
      newsOwed.onSent(rank, model, hashBlocks(Uint32Array.of(1, 2, 3, 4), { blockSize: 4 }));
      nowMs = 5_999;
      vi.advanceTimersByTime(5_000);
      expect(lines).toEqual([]);
      nowMs = 6_000;
      vi.advanceTimersByTime(5_000);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain("publishes no KV events");
      expect(follower.statusOf(rank)?.problems).toMatchObject([{ kind: "silent" }]);
    } finally {
      vi.useRealTimers();
    }
  });
});
