import { afterEach, describe, expect, it } from "vitest";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import { FakeWorker, json } from "../../support/proxy/fake-worker.ts";
import { call } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function fleet(profile: string) {
  const workers = await Promise.all([1, 2, 3].map(() => FakeWorker.start()));
  open.push(...workers);
  const models = `models: [{ name: qwen3, folder: "${testModelFolder()}", profile: ${profile} }]`;
  const proxy = await RunningProxy.start({ workers, models });
  open.push(proxy);
  for (const worker of workers) worker.answer((response) => json(response, 200, { ok: true }));
  return { workers, proxy };
}

describe("SGLang's /generate", () => {
  it.each([
    ["text", { text: `Once upon a time. ${"There was a fox. ".repeat(40)}` }],
    ["input_ids", { input_ids: Array.from({ length: 200 }, (_, i) => 100 + (i % 37)) }],
  ])("by %s goes where the beginning of its prompt is", async (_name, prompt) => {
    const { workers, proxy } = await fleet("sglang");
    const send = () =>
      call(proxy.url, { path: "/generate", body: { ...prompt, sampling_params: { max_new_tokens: 4 } } });
    for (let i = 0; i < 6; i++) expect((await send()).status).toBe(200);
    expect(workers.map(({ seen }) => seen.length).toSorted()).toEqual([0, 0, 6]);
  });

  it("has the tokens that the same text has as a completion", async () => {
    const { workers, proxy } = await fleet("sglang");
    const text = `Shared words. ${"One fox, two foxes. ".repeat(40)}`;
    const completion = { model: "qwen3", prompt: text, max_tokens: 4 };
    await call(proxy.url, { path: "/v1/completions", body: completion });
    const first = workers.findIndex(({ seen }) => seen.length === 1);
    for (let i = 0; i < 5; i++) await call(proxy.url, { path: "/generate", body: { text } });
    expect(workers[first]?.seen).toHaveLength(6);
  });
});

/** As the engines' own clients send them. */
const bodies = [
  ["vllm", "/v1/rerank", { model: "qwen3", query: "What is a fox?", documents: ["An animal.", "A tree."], top_n: 1 }],
  ["vllm", "/tokenize", { model: "qwen3", prompt: "hi", add_special_tokens: true, return_token_strs: true }],
  ["vllm", "/tokenize", { model: "qwen3", messages: [{ role: "user", content: "hi" }], add_generation_prompt: true }],
  ["sglang", "/v1/rerank", { query: "What is a fox?", documents: ["An animal."], return_documents: true }],
  ["sglang", "/tokenize", { model: "qwen3", prompt: ["hi", "ho"], add_special_tokens: false }],
] as const;

it.each(bodies)("%s's %s passes as it is, and so does its answer", async (profile, path, body) => {
  const { workers, proxy } = await fleet(profile);
  const text = JSON.stringify(body);
  for (const worker of workers) worker.answer((response) => json(response, 200, [{ index: 0, score: 0.5 }]));
  const answer = await call(proxy.url, { path, body: text });
  expect([answer.status, answer.body.toString()]).toEqual([200, '[{"index":0,"score":0.5}]']);
  const [request] = workers.flatMap(({ seen }) => seen);
  expect([request?.target, request?.body.toString()]).toEqual([path, text]);
});
