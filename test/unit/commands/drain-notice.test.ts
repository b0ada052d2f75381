import { performance } from "node:perf_hooks";
import { pino } from "pino";
import { expect, it } from "vitest";
import { serve } from "../../../src/commands/serve.ts";
import { loadConfig } from "../../../src/config/index.ts";

const text = `
mode: proxy
mixedModes: [query, queue]
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]
fleet: { healthCheck: { enabled: false } }
proxy: { listen: "127.0.0.1:0", warmUpMs: 0 }
queue: { listen: "127.0.0.1:0", redis: { url: "redis://127.0.0.1:1" } }
routeApi: { listen: "127.0.0.1:0" }
health: { listen: "off" }
metrics: { listen: "off" }
shutdown: { readinessDelayMs: 600, drainTimeoutMs: 1000 }
`;

interface Addresses {
  readonly proxy: string;
  readonly queue: string;
  readonly routeApi: readonly string[];
}

/** A log that finds out where the process listens once it is ready. */
function readyLog() {
  const ready = Promise.withResolvers<Addresses>();
  const write = (line: string) => {
    const fields = JSON.parse(line);
    if (fields.msg === "the picker is ready") ready.resolve(fields);
  };
  return { log: pino({}, { write }), ready: ready.promise };
}

it("every HTTP listener takes connections for the readiness delay, not ready, and none afterwards", async () => {
  const stop = new AbortController();
  const { log, ready } = readyLog();
  const served = serve(loadConfig({ text, env: {} }), log, stop.signal);
  const { proxy, queue, routeApi } = await ready;
  const pages = [`${proxy}/health`, `${queue}/health`, `${routeApi[0]}/ready`].map((page) =>
    page.startsWith("http") ? page : `http://${page}`,
  );
  const statuses = () => Promise.all(pages.map(async (page) => (await fetch(page)).status));
  // Without Redis the queue's front is not ready to begin with.
  expect(await statuses()).toEqual([200, 503, 200]);
  const stoppedMs = performance.now();
  stop.abort();
  expect(await statuses()).toEqual([503, 503, 503]);
  await served;
  expect(performance.now() - stoppedMs).toBeGreaterThan(590);
  for (const page of pages) await expect(fetch(page)).rejects.toThrow();
});
