import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import { FakeWorker, json, sse } from "../../support/proxy/fake-worker.ts";
import { call, open, type RawRequest } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

let worker: FakeWorker;
let proxy: RunningProxy;
const models = `models: [{ name: m, folder: "${testModelFolder()}", profile: vllm }]`;

beforeAll(async () => {
  worker = await FakeWorker.start();
  proxy = await RunningProxy.start({ workers: [worker], models });
}, 60_000);

afterAll(async () => {
  await proxy?.close();
  await worker?.close();
});

/** Of each API its own, since what one has sent counts as cached for the others. */
const textOf = (api: string) => `${`${api} asks again. `.repeat(9)}Why is the sky blue, and the sea?`;
const messagesOf = (api: string) => [{ role: "user", content: textOf(api) }];
const requests: Readonly<Record<string, RawRequest>> = {
  chat: { path: "/v1/chat/completions", body: { model: "m", messages: messagesOf("chat") } },
  completions: { path: "/v1/completions", body: { model: "m", prompt: textOf("completions") } },
  responses: { path: "/v1/responses", body: { model: "m", input: textOf("responses") } },
  messages: { path: "/v1/messages", body: { model: "m", max_tokens: 9, messages: messagesOf("messages") } },
};

function streamed(api: string): RawRequest {
  const { path = "", body } = requests[api] ?? {};
  return { path, body: { ...(body as object), stream: true } };
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, value: object = {}) => `event: ${type}\n${data({ type, ...value })}`;

/** What comes before the first content, and that. */
const beginnings: Readonly<Record<string, readonly [before: string, content: string]>> = {
  chat: [
    data({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] }),
    data({ choices: [{ index: 0, delta: { content: "a" } }] }),
  ],
  completions: [data({ choices: [{ index: 0, text: "" }] }), data({ choices: [{ index: 0, text: "a" }] })],
  responses: [
    named("response.created", { response: { id: "resp_1" } }) + named("response.output_item.added"),
    named("response.output_text.delta", { delta: "a" }),
  ],
  messages: [
    named("message_start") + named("content_block_start"),
    named("content_block_delta", { delta: { type: "text_delta", text: "a" } }),
  ],
};

it("token counts that are longer than proxy.maxUsageBytes are not read, and counted as such", async () => {
  const small = await RunningProxy.start({ workers: [worker], models, settings: "proxy: { maxUsageBytes: 64 }" });
  try {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 } };
    worker.behave = (response) => json(response, 200, { id: "x", usage });
    const answer = await call(small.url, {
      path: "/v1/chat/completions",
      body: { model: "m", messages: messagesOf("chat") },
    });
    expect(answer.status).toBe(200);
    expect(await small.metric('pointsman_usage_unread_total{reason="too_large"}')).toBe(1);
  } finally {
    await small.close();
  }
});

describe.each(Object.keys(requests))("%s", (api) => {
  it("books the prompt until its first content, and the request until its end", async () => {
    const came = new Promise<ServerResponse>((resolve) => {
      worker.behave = (response) => {
        sse(response);
        resolve(response);
      };
    });
    const answer = await open(proxy.url, streamed(api));
    const response = await came;
    const [before = "", content = ""] = beginnings[api] ?? [];
    expect(proxy.booked.prefillTokens).toBeGreaterThan(5);
    response.write(before);
    await once(answer, "data");
    expect(proxy.booked.prefillTokens).toBeGreaterThan(5);
    response.write(content);
    await once(answer, "data");
    expect(proxy.booked).toMatchObject({ prefillTokens: 0, requests: 1 });
    response.end();
    await once(answer.resume(), "end");
    expect(proxy.booked).toEqual({ prefillTokens: 0, requests: 0, decodeBlocks: 0 });
  });

  it.each([false, true])("reads the token counts of its answer (stream: %j)", async (stream) => {
    const usage = api.startsWith("c")
      ? { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 } }
      : api === "responses"
        ? { input_tokens: 100, output_tokens: 7, input_tokens_details: { cached_tokens: 64 } }
        : { input_tokens: 36, output_tokens: 7, cache_read_input_tokens: 64 };
    worker.behave = (response) => {
      if (!stream) return json(response, 200, { id: "x", usage });
      sse(response);
      response.end(api === "responses" ? named("response.completed", { response: { usage } }) : data({ usage }));
    };
    const input = 'pointsman_served_input_tokens_total{model="m"}';
    const output = 'pointsman_served_output_tokens_total{model="m"}';
    const before = [await proxy.metric(input), await proxy.metric(output)];
    expect((await call(proxy.url, stream ? streamed(api) : requests[api])).status).toBe(200);
    const after = [await proxy.metric(input), await proxy.metric(output)];
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([100, 7]);
  });
});
