import { afterEach, describe, expect, it } from "vitest";
import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import {
  createWorkload,
  type LoadApi,
  LoadClient,
  quantile,
  runWorkload,
  summarizeLoad,
} from "../../support/load/index.ts";

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function start(options: SimWorkerOptions = {}): Promise<{ worker: SimWorker; client: LoadClient }> {
  const worker = await startSimWorker({ timeScale: 0, gpuBlocks: 100_000, ...options });
  const client = new LoadClient(() => `http://${worker.endpoint}`);
  closing.push(
    () => client.close(),
    () => worker.close(0),
  );
  return { worker, client };
}

describe("createWorkload", () => {
  it("gives the same conversations for the same seed, others for another", () => {
    expect(createWorkload({ seed: 3 })).toEqual(createWorkload({ seed: 3 }));
    expect(createWorkload({ seed: 3 })).not.toEqual(createWorkload({ seed: 4 }));
  });

  it("gives the first tenant most conversations, and each tenant one system prompt", () => {
    const conversations = createWorkload({ conversations: 600, turns: 1 });
    const count = (tenant: string) => conversations.filter((each) => each.tenant === tenant).length;
    // Weights 1, 1/2, 1/3.
    expect(count("tenant-0")).toBeGreaterThan(count("tenant-1"));
    expect(count("tenant-1")).toBeGreaterThan(count("tenant-2"));
    expect(new Set(conversations.map(({ system }) => system)).size).toBe(3);
  });
});

describe("runWorkload", () => {
  const apis: readonly LoadApi[] = ["chat", "completions", "responses"];
  it.each(
    apis.flatMap((api) => [
      { api, stream: false },
      { api, stream: true },
    ]),
  )("sends every turn and reads what the worker counted ($api, stream: $stream)", async ({ api, stream }) => {
    const { worker, client } = await start({ name: "w" });
    const conversations = createWorkload({ conversations: 6, turns: 3 });
    const options = { api, stream, model: "m", outputTokens: 5, concurrency: 2, tenantHeader: true };
    const results = await runWorkload(conversations, client, options);
    const summary = summarizeLoad(results);
    expect(summary).toMatchObject({ requests: 18, failures: 0, requestsByWorker: { w: 18 } });
    expect(summary.promptTokens).toBe(worker.stats().promptTokens);
    expect(summary.cachedTokens).toBe(worker.stats().cachedTokens);
    expect(summary.cachedTokens).toBeGreaterThan(0.5 * summary.promptTokens);
    expect(results[0]?.answer?.text.split(" ")).toHaveLength(5);
  });

  it("gives every routing the same prompts", async () => {
    const tokens: number[] = [];
    for (const hashSeed of ["a", "b"]) {
      const { client } = await start({ hashSeed });
      const options = { api: "chat" as const, stream: true, model: "m", outputTokens: 5, concurrency: 4 };
      tokens.push(summarizeLoad(await runWorkload(createWorkload({ conversations: 8 }), client, options)).promptTokens);
    }
    expect(tokens[0]).toBe(tokens[1]);
  });

  it.each([
    { name: "a status", options: { failRate: 1, failStatus: 503 }, failure: /^status 503: / },
    { name: "a broken answer", options: { resetRate: 1 }, failure: /./ },
  ])("reports $name as a failure and goes on", async ({ options, failure }) => {
    const { client } = await start(options);
    const run = { api: "chat" as const, stream: true, model: "m", outputTokens: 5, concurrency: 1 };
    const results = await runWorkload(createWorkload({ conversations: 1, turns: 2 }), client, run);
    expect(results.map((result) => result.failure)).toEqual([
      expect.stringMatching(failure),
      expect.stringMatching(failure),
    ]);
  });

  it("reports an endpoint that nobody serves", async () => {
    const client = new LoadClient(() => "http://127.0.0.1:1");
    closing.push(() => client.close());
    expect(await client.send({ path: "/", body: {} })).toMatchObject({
      status: 0,
      failure: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

describe("quantile", () => {
  it.each([
    [[1, 2, 3, 4], 0.5, 3],
    [[1, 2, 3, 4], 0.99, 4],
    [[], 0.5, Number.NaN],
  ])("of %o at %d is %d", (sorted, share, value) => {
    expect(quantile(sorted, share)).toBe(value);
  });
});
