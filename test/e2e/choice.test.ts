import { request } from "undici";
import { expect, it } from "vitest";
import { pathByApi } from "../support/load/index.ts";
import { describeOn } from "./suite/describe-on.ts";
import { type Answer, ask, askBody, get, post } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import type { EnvoyKind } from "./support/envoy-config.ts";
import type { Gateway } from "./support/gateway.ts";
import { parseMetrics, sumOf } from "./support/metrics.ts";
import { idle, loadOf } from "./support/picker-metrics.ts";
import { engineModel } from "./support/picker-settings.ts";
import { opening } from "./support/prompts.ts";
import { RawExchange } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { headerOf, recordOf } from "./support/worker-records.ts";

const kind: EnvoyKind = { bodies: "full-duplex", hosts: "override-host" };
const own = { kind, launcher: envoyBinary };

const apart = {
  workers: 4,
  workerSettings: {
    "worker-0": { role: "prefill", id: "100", labels: { zone: "a" } },
    "worker-1": { role: "prefill", id: "101", labels: { zone: "b" } },
    "worker-2": { role: "decode", id: "102", labels: { zone: "a" }, headers: { prefillHost: true } },
    "worker-3": { role: "decode", id: "103", labels: { zone: "b" }, headers: { prefillHost: true } },
  },
  picker: { disaggregation: { topologyLabel: "zone", topology: "require", maxLocalPrefillTokens: 24 } },
};
const zoneMate: Readonly<Record<string, string>> = { "worker-2": "100", "worker-3": "101" };

describeOn("with prefill and decode workers", { ...own, ...apart }, (gateway) => {
  it("sends the request to a decode worker and names a prefill worker of its zone", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask(gateway(), opening(7_000 + i))));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      const { worker, record } = recordOf(gateway(), answer.requestId);
      expect(Object.keys(zoneMate)).toContain(worker.name);
      expect(headerOf(record, "x-dynamo-routing-mode")).toBe("disaggregated");
      expect(headerOf(record, "x-dynamo-prefill-instance-id")).toBe(zoneMate[worker.name]);
      expect(headerOf(record, "x-dynamo-prefill-dp-rank")).toBe("0");
    }
    await idle(gateway());
  });

  it("names the prefill worker's address to a sidecar, whatever the client names", async () => {
    const headers = { "x-prefiller-host-port": "10.9.9.9:1" };
    const answer = await ask(gateway(), opening(7_100), { model: engineModel, headers });
    const { worker, record } = recordOf(gateway(), answer.requestId);
    const mate = gateway().workers[worker.name === "worker-2" ? 0 : 1];
    expect(headerOf(record, "x-prefiller-host-port")).toBe(mate?.endpoint);
    await idle(gateway());
  });

  it("leaves a short prompt on one worker", async () => {
    const body = '{"model":"qwen3","prompt":"Hello there","max_tokens":1}';
    const answer = await post(gateway(), "/v1/completions", body);
    const { record } = recordOf(gateway(), answer.requestId);
    expect(headerOf(record, "x-dynamo-routing-mode")).toBe("aggregated");
    expect(headerOf(record, "x-dynamo-prefill-instance-id")).toBeUndefined();
    await idle(gateway());
  });
});

describeOn("with sessions", { ...own, workers: 4 }, (gateway) => {
  const embed = (session: string): Promise<Answer> =>
    post(gateway(), "/v1/embeddings", '{"model":"qwen3","input":"x"}', { "x-claude-code-session-id": session });

  it("keeps each session on one worker, and spreads sessions", async () => {
    const sessions = Array.from({ length: 8 }, (_, i) => `session-${i}`);
    const firsts = await Promise.all(sessions.map(embed));
    for (let turn = 0; turn < 3; turn++) {
      const answers = await Promise.all(sessions.map(embed));
      expect(answers.map(({ worker }) => worker)).toEqual(firsts.map(({ worker }) => worker));
    }
    expect(new Set(firsts.map(({ worker }) => worker)).size).toBeGreaterThan(2);
    await idle(gateway());
  });
});

const admission = {
  maxRequests: 1,
  maxQueued: 2,
  maxWaitMs: 10_000,
  objectives: [
    { name: "urgent", priority: 5 },
    { name: "batch", priority: -1 },
  ],
};
const slow = { workers: 2, workerOptions: { interTokenMs: 10 }, picker: { admission } };

describeOn("with admission", { ...own, ...slow }, (gateway) => {
  const urgent = { "x-gateway-inference-objective": "urgent" };

  /** Both workers have a request that runs until the function is called. */
  async function busy(): Promise<() => void> {
    const bodies = [7_200, 7_201].map((seed) => askBody(opening(seed), { stream: true, outputTokens: 60_000 }));
    const running = await Promise.all(
      bodies.map((body) => RawExchange.post(gateway().ports.gateway, pathByApi.chat, body)),
    );
    await until(async () => (await loadOf(gateway())).requests === 2, { what: "two running requests" });
    return () => {
      for (const exchange of running) exchange.abort();
    };
  }

  const queued = async () => sumOf(parseMetrics(await gateway().picker.metricsText()), "pointsman_queued_requests");
  const waiting = (count: number) => until(async () => (await queued()) === count, { what: `${count} that wait` });

  it("holds requests until a worker is free, and sheds what has no room, by its objective", async () => {
    const free = await busy();
    const low = ask(gateway(), opening(7_210), { outputTokens: 1 });
    await waiting(1);
    const held = ask(gateway(), opening(7_211), { outputTokens: 1, headers: urgent });
    await waiting(2);
    const shed = await ask(gateway(), opening(7_212), { headers: { "x-llm-d-inference-objective": "batch" } });
    expect([shed.status, shed.headers["x-llm-d-request-dropped-reason"], shed.headers["retry-after"]]).toEqual([
      429,
      "rejected-saturated",
      "1",
    ]);
    const full = await ask(gateway(), opening(7_213));
    expect(full.status).toBe(429);
    const taken = ask(gateway(), opening(7_214), { outputTokens: 1, headers: urgent });
    const evicted = await low;
    expect([evicted.status, evicted.headers["x-llm-d-request-dropped-reason"]]).toEqual([429, "evicted-priority"]);
    free();
    for (const answer of await Promise.all([held, taken])) expect(answer.status).toBe(200);
    await idle(gateway());
  });

  it("refuses what waited in vain, with its reason", async () => {
    const free = await busy();
    const late = await ask(gateway(), opening(7_220));
    expect([late.status, late.headers["x-llm-d-request-dropped-reason"], late.headers["retry-after"]]).toEqual([
      429,
      "rejected-ttl-expired",
      "1",
    ]);
    expect(JSON.parse(late.body)).toMatchObject({ error: { code: "queue_timeout", type: "rate_limit_error" } });
    free();
    await idle(gateway());
  });

  it("forgets a client that left while it waited", async () => {
    const free = await busy();
    const gone = new AbortController();
    const left = request(`${gateway().url}/v1/embeddings`, {
      method: "POST",
      body: '{"model":"qwen3","input":"x"}',
      headers: { "content-type": "application/json" },
      signal: gone.signal,
    });
    await waiting(1);
    gone.abort();
    await expect(left).rejects.toThrow();
    await waiting(0);
    free();
    await idle(gateway());
  });
});

const polled = { fleet: { engineMetrics: { enabled: true, intervalMs: 50 } } };

describeOn(
  "with the engines' metrics",
  { ...own, workers: 2, workerOptions: { interTokenMs: 10 }, picker: polled },
  (gateway) => {
    it("passes over a worker that others keep busy, and comes back afterwards", async () => {
      const [busyWorker] = gateway().workers;
      if (busyWorker === undefined) throw new Error("two workers run");
      const gone = new AbortController();
      const foreign = Array.from({ length: 6 }, (_, i) => direct(busyWorker.endpoint, i, gone.signal));
      const cutOff = expect(Promise.all(foreign)).rejects.toThrow();
      await until(async () => (await foreignOf(gateway())) === 6, { what: "the foreign requests" });
      const answers = [];
      for (let i = 0; i < 6; i++) answers.push(await get(gateway(), "/v1/models"));
      expect(new Set(answers.map(({ worker }) => worker))).toEqual(new Set(["worker-1"]));
      gone.abort();
      await cutOff;
      await until(async () => (await foreignOf(gateway())) === 0, { what: "the engine's rest" });
    });
  },
);

/** A request that goes past the gateway, and runs until it is cut off. */
async function direct(endpoint: string, seed: number, signal: AbortSignal): Promise<void> {
  const body = JSON.stringify({ model: "qwen3", prompt: `foreign ${seed}`, max_tokens: 60_000 });
  const response = await request(`http://${endpoint}/v1/completions`, { method: "POST", body, signal });
  expect(response.statusCode).toBe(200);
  await response.body.dump();
}

async function foreignOf(gateway: Gateway): Promise<number> {
  return sumOf(parseMetrics(await gateway.picker.metricsText()), "pointsman_engine_foreign_requests");
}
