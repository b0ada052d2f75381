import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FakeWorker } from "../../support/proxy/fake-worker.ts";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

let workers: readonly FakeWorker[];
let proxy: RunningProxy;

beforeAll(async () => {
  workers = await Promise.all([FakeWorker.start(), FakeWorker.start()]);
  const [first, second] = workers as [FakeWorker, FakeWorker];
  proxy = await RunningProxy.start({
    workers: [
      { endpoint: first.endpoint, settings: "adapters: [sql]" },
      { endpoint: second.endpoint, settings: "adapters: [chat]" },
    ],
    models: "models: [{ name: m, loadOnly: true, profile: vllm, adapters: [sql, chat, none] }]",
  });
});
afterAll(async () => {
  await proxy?.close();
  await Promise.all((workers ?? []).map((worker) => worker.close()));
});

/** How many of some requests for a model each worker got. */
async function shares(model: string, requests = 6): Promise<number[]> {
  for (const worker of workers) worker.seen.length = 0;
  for (let i = 0; i < requests; i++) {
    await call(proxy.url, { body: chatBody({ model, user: `u${i}` }), headers: ["x-session-id", `${model}-${i}`] });
  }
  return workers.map(({ seen }) => seen.length);
}

describe("workers with LoRA adapters", () => {
  it("get the requests for those that they have loaded, and for the model itself", async () => {
    expect(await shares("sql")).toEqual([6, 0]);
    expect(await shares("chat")).toEqual([0, 6]);
    expect((await shares("m")).reduce((sum, share) => sum + share)).toBe(6);
  });

  it("get none for what nobody has loaded", async () => {
    expect((await call(proxy.url, { body: chatBody({ model: "none" }) })).status).toBe(503);
  });
});
