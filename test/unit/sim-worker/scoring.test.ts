import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { generateBody, readScoringAnswer, ScoringError } from "../../../src/decisions/index.ts";
import { type SimWorker, simLogprobs, startSimWorker } from "../../../src/sim-worker/index.ts";
import { until } from "./until.ts";

let worker: SimWorker;

beforeAll(async () => {
  worker = await startSimWorker({ timeScale: 0, blockSize: 4 });
});

afterEach(() => {
  worker.configure({ scoringFault: "none", failRate: 0, delayMs: 0 });
  worker.resetCache();
});

afterAll(() => worker?.close());

const promptIds = Uint32Array.from({ length: 18 }, (_, at) => at);
const labelIds = [9693, 2152];

function post(path: string, body: string): Promise<Response> {
  return fetch(`http://${worker.endpoint}${path}`, { method: "POST", body });
}

async function score(changes: object = {}) {
  const body = generateBody({ promptIds, labelIds, cacheSalt: "s", requestId: "r-0", ...changes });
  const answer = Buffer.from(await (await post("/generate", body)).arrayBuffer());
  return readScoringAnswer(answer, labelIds, promptIds.length);
}

describe("a simulated scorer", () => {
  it("gives labels the same probabilities each time, which leave something for other tokens", async () => {
    const { logprobs } = await score();
    expect(logprobs).toEqual(simLogprobs(labelIds));
    expect(logprobs.reduce((sum, logprob) => sum + Math.exp(logprob), 0)).toBeCloseTo(0.9, 12);
    expect(simLogprobs([1, 2, 3])).not.toEqual(simLogprobs([4, 5, 6]));
  });

  it("tells what came from its cache, apart for each salt", async () => {
    const cached = [];
    for (const cacheSalt of ["a", "a", "b", "b"]) cached.push((await score({ cacheSalt })).cachedTokens);
    expect(cached).toEqual([0, 16, 0, 16]);
  });

  it("tells the rank that it was sent to", async () => {
    expect((await score({ dpRank: 3 })).dpRank).toBe(3);
  });

  it.each(["generates", "short", "reordered", "two-ends", "no-end", "overcounted", "abort"])(
    "can be wrong: %s",
    async (scoringFault) => {
      worker.configure({ scoringFault });
      await expect(score()).rejects.toThrow(ScoringError);
    },
  );

  it("can be full, leave its cache unmeasured, and be another rank", async () => {
    worker.configure({ scoringFault: "overload" });
    await expect(score()).rejects.toMatchObject({ failure: "overloaded" });
    worker.configure({ scoringFault: "unmeasured" });
    expect((await score()).cachedTokens).toBeUndefined();
    worker.configure({ scoringFault: "other-rank" });
    expect((await score({ dpRank: 3 })).dpRank).toBe(4);
  });

  it("refuses to generate", async () => {
    const body = JSON.parse(generateBody({ promptIds, labelIds, cacheSalt: "s" })) as Record<string, unknown>;
    const generating = { ...body, sampling_params: { max_new_tokens: 4 } };
    expect((await post("/generate", JSON.stringify(generating))).status).toBe(400);
    expect(() => worker.configure({ scoringFault: "unknown" })).toThrow(RangeError);
  });

  it("stops what it is told to stop", async () => {
    const slow = await startSimWorker({ ttftBaseMs: 60_000 });
    try {
      const url = `http://${slow.endpoint}`;
      const body = generateBody({ promptIds, labelIds, cacheSalt: "s", requestId: "r-7" });
      const answer = fetch(`${url}/generate`, { method: "POST", body });
      await until(() => slow.stats().running === 1);
      await fetch(`${url}/abort_request`, { method: "POST", body: '{"rid":"r-7"}' });
      const bytes = Buffer.from(await (await answer).arrayBuffer());
      expect(() => readScoringAnswer(bytes, labelIds, promptIds.length)).toThrow("backend aborted candidate scoring");
    } finally {
      await slow.close(0);
    }
  });
});
