/**
 * One run of one client in a process of its own, so that its CPU is its own: so many callers, each asking again as soon as it has its answer.
 * `client-run.ts WAY URL TOTAL AT_ONCE BODY_BYTES`, WAY = instance, request or naive. Prints one line of JSON.
 */
import { performance } from "node:perf_hooks";
import { QueueClient, type QueueObserver, systemQueueEnvironment } from "../../src/queue/index.ts";
import { naiveWay, type Way } from "./naive.ts";

const [, , name = "instance", url = "", total = "5000", atOnce = "1000", bodyBytes = "1500"] = process.argv;

const silent: QueueObserver = {
  connected: () => undefined,
  lost: () => undefined,
  orphaned: () => undefined,
  cancelled: () => undefined,
  failed: () => undefined,
  removed: () => undefined,
};

async function ours(resultLists: "instance" | "request"): Promise<Way> {
  const redis = { url, timeoutMs: 5_000, reconnectMinMs: 50, reconnectMaxMs: 500 };
  const client = await QueueClient.start(
    { redis, resultLists, defaultQueue: "bench" },
    {
      secrets: async () => ({ password: undefined, tls: { rejectUnauthorized: true } }),
      observer: silent,
      environment: systemQueueEnvironment,
    },
  );
  return {
    async ask(payload) {
      const request = { payload, endpoint: "/v1/chat/completions", timeoutMs: 60_000 };
      // One for each, as callers of a server have it.
      return (await client.submitAndAwait(request, new AbortController().signal)).payload;
    },
    close: () => client.close(),
  };
}

async function run(way: Way, count: number): Promise<readonly number[]> {
  const payload = Buffer.from(
    JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(Number(bodyBytes) - 52) }] }),
  );
  const tookMs: number[] = [];
  let next = 0;
  const caller = async () => {
    while (next++ < count) {
      const startMs = performance.now();
      if ((await way.ask(payload)) === "") throw new Error("no result");
      tookMs.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, caller));
  return tookMs.sort((a, b) => a - b);
}

const way = name === "naive" ? naiveWay(url) : await ours(name === "request" ? "request" : "instance");
// Code is compiled and connections are made.
await run(way, Number(atOnce));
const cpu = process.cpuUsage();
const startMs = performance.now();
const tookMs = await run(way, Number(total));
const { user, system } = process.cpuUsage(cpu);
const at = (share: number) => tookMs[Math.min(tookMs.length - 1, Math.floor(share * tookMs.length))];
console.log(
  JSON.stringify({
    requestsPerS: (1_000 * tookMs.length) / (performance.now() - startMs),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMsPer1000: (user + system) / tookMs.length,
  }),
);
await way.close();
