import { pino } from "pino";
import { expect, it } from "vitest";
import { startQueueFront } from "../../../src/commands/queue.ts";
import { serve } from "../../../src/commands/serve.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { createLogger, Metrics } from "../../../src/telemetry/index.ts";

const text = `
mode: queue
queue: { listen: "127.0.0.1:0", models: [a, b], redis: { url: "redis://127.0.0.1:1" }, canary: { mode: off } }
health: { listen: "off" }
metrics: { listen: "off" }
`;

it("a queue's front that is not ready yet says so, and not that it stops", async () => {
  const metrics = new Metrics({ models: [], version: "test" });
  const config = loadConfig({ text, env: {} });
  const front = await startQueueFront({ config, log: createLogger({ level: "silent" }), metrics });
  const url = `http://${front.server.address}/v1/chat/completions`;
  const answer = await fetch(url, { method: "POST", body: '{"model":"a"}' });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await answer.json()).toMatchObject({ error: { code: "not_ready" } });
  expect(await metrics.render()).toContain('pointsman_queue_front_refusals_total{code="not_ready"} 1');
  await front.close();
});

it("a queue's front tells at its start which models it has, and nothing of a picker", async () => {
  const ready = Promise.withResolvers<object>();
  const write = (line: string) => {
    if (line.includes("ready")) ready.resolve(JSON.parse(line));
  };
  const stop = new AbortController();
  const served = serve(loadConfig({ text, env: {} }), pino({}, { write }), stop.signal);
  const line = await ready.promise;
  expect(line).toMatchObject({ msg: "the queue's front is ready", modes: ["queue"], queueModels: ["a", "b"] });
  expect(line).not.toHaveProperty("models");
  expect(line).not.toHaveProperty("workers");
  stop.abort();
  await served;
});
