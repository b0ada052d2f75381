import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type SimWorker, startSimWorker } from "../../../src/sim-worker/index.ts";
import { processorVersions } from "../../support/queue-processor/index.ts";
import { redisKinds } from "../support/redis-server.ts";
import { until } from "../support/until.ts";
import { Lab } from "./support/lab.ts";
import { QueueFront } from "./support/queue-front.ts";

const messages = [{ role: "user" as const, content: "Why is the sky blue?" }];
const cases = redisKinds.flatMap((kind) => processorVersions.map((version) => ({ kind, version })));

describe.each(cases)("through the queue of a processor $version on a real $kind", ({ kind, version }) => {
  let lab: Lab;
  let worker: SimWorker;
  let front: QueueFront;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    lab = await Lab.start(kind);
    worker = await startSimWorker({ models: ["m"], timeScale: 0, defaultOutputTokens: 8 });
    lab.process(version, { queue: { igw_base_url: `http://${worker.endpoint}` } });
    front = await QueueFront.start(lab.server.url, { wire: version, streaming: "replay", models: ["m", "alias"] });
    await front.healthy();
    openai = new OpenAI({ apiKey: "any", baseURL: `${front.url}/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey: "any", baseURL: front.url, maxRetries: 0 });
  });
  afterAll(async () => {
    await front?.stop();
    await worker?.close();
    await lab?.close();
  });

  it("OpenAI's client chats, whole and streamed alike", async () => {
    const whole = await openai.chat.completions.create({ model: "m", messages });
    const stream_options = { include_usage: true };
    const stream = await openai.chat.completions.create({ model: "m", messages, stream: true, stream_options });
    let text = "";
    let finish: string | null = null;
    let usage: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage?.completion_tokens ?? usage;
    }
    expect(text).not.toBe("");
    expect([text, finish]).toEqual([whole.choices[0]?.message.content, whole.choices[0]?.finish_reason]);
    expect(usage).toBe(whole.usage?.completion_tokens);
  });

  it("OpenAI's client completes, whole and streamed alike", async () => {
    const whole = await openai.completions.create({ model: "m", prompt: "Once" });
    let text = "";
    for await (const chunk of await openai.completions.create({ model: "m", prompt: "Once", stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).not.toBe("");
    expect(text).toBe(whole.choices[0]?.text);
  });

  it("OpenAI's client gets responses, whole and streamed alike", async () => {
    const whole = await openai.responses.create({ model: "m", input: "Why?" });
    const final = await openai.responses.stream({ model: "m", input: "Why?" }).finalResponse();
    expect(whole.output_text).not.toBe("");
    expect([final.output_text, final.status]).toEqual([whole.output_text, "completed"]);
  });

  it("OpenAI's client gets embeddings and models", async () => {
    const { data } = await openai.embeddings.create({ model: "m", input: ["a", "b"] });
    expect(data).toHaveLength(2);
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toEqual(["m", "alias"]);
    expect((await openai.models.retrieve("alias")).id).toBe("alias");
    await expect(openai.chat.completions.create({ model: "other", messages })).rejects.toThrow(OpenAI.NotFoundError);
  });

  it("Anthropic's client gets messages, whole and streamed alike", async () => {
    const whole = await anthropic.messages.create({ model: "m", max_tokens: 6, messages });
    const final = await anthropic.messages.stream({ model: "m", max_tokens: 6, messages }).finalMessage();
    const [block] = whole.content;
    expect(block?.type === "text" ? block.text : "").not.toBe("");
    expect([final.content, final.stop_reason]).toEqual([whole.content, "max_tokens"]);
    expect(final.usage.output_tokens).toBe(6);
    const ids: string[] = [];
    for await (const model of anthropic.models.list()) ids.push(model.id);
    expect(ids).toEqual(["m", "alias"]);
  });
});

describe("what the real clients make of", () => {
  let lab: Lab;
  let front: QueueFront;
  beforeAll(async () => {
    lab = await Lab.start("redis-server");
    front = await (await QueueFront.start(lab.server.url, { streaming: "replay", keepAliveMs: 20 })).healthy();
  });
  afterEach(() => lab.reset());
  afterAll(async () => {
    await front.stop();
    await lab.close();
  });

  const openai = (options = {}) => new OpenAI({ apiKey: "any", baseURL: `${front.url}/v1`, ...options });
  const chat = (client = openai(), options = {}) =>
    client.chat.completions.create({ model: "m", messages }, { maxRetries: 0, ...options });

  it("a deadline: one 504, and no second try", async () => {
    const wait = { headers: { "x-request-timeout-seconds": "0.3" }, maxRetries: 2 };
    const failure = await chat(openai(), wait).catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 504, code: "deadline_exceeded" });
    expect(await lab.redis.zcard("request-sortedset")).toBe(1);
  });

  it("a gateway that is busy: 429 with its body, tried again as they are told", async () => {
    lab.gateway.answer((response) => void response.writeHead(400).end('{"error":{"message":"no","code":"c"}}'));
    lab.process("v0.9");
    await expect(chat()).rejects.toThrow(OpenAI.BadRequestError);
  });

  it("leaving: the request is cancelled in the queue", async () => {
    const end = new AbortController();
    const asked = chat(openai(), { signal: end.signal });
    await until(async () => (await lab.redis.zcard("request-sortedset")) === 1, { what: "the request" });
    end.abort();
    await expect(asked).rejects.toThrow(OpenAI.APIUserAbortError);
    await until(async () => (await lab.redis.keys("request-cancel:*")).length === 1, { what: "the cancellation" });
    await expect.poll(() => front.metric("pointsman_queue_front_cancellations_total")).toBeGreaterThan(0);
  });

  it("an error in a stream that has begun", async () => {
    const asked = openai({ maxRetries: 0 }).chat.completions.create({ model: "m", messages, stream: true });
    await until(async () => (await lab.redis.zcard("request-sortedset")) === 1, { what: "the request" });
    const [member = ""] = await lab.redis.zpopmin("request-sortedset", 1);
    const { internal, data } = JSON.parse(member);
    const stream = await asked;
    const result = { id: data.id, payload: '{"error":"x"}', error_code: "GATE_DROPPED", error_message: "dropped" };
    await lab.redis.lpush(internal.result_queue_name, JSON.stringify(result));
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow(/dropped/);
  });

  it("a stream whose answer calls tools and thinks", async () => {
    const tool_calls = [
      { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":9007199254740993}' } },
      { id: "call_2", type: "function", function: { name: "g", arguments: "{}" } },
    ];
    const message = { role: "assistant", content: null, reasoning_content: "hm", tool_calls };
    const choices = [
      { index: 0, message, finish_reason: "tool_calls", logprobs: null },
      { index: 1, message: { role: "assistant", content: "two" }, finish_reason: "stop", logprobs: null },
    ];
    const answer = { id: "c", object: "chat.completion", created: 1, model: "m", choices };
    lab.gateway.answer((response) => void response.end(JSON.stringify(answer)));
    lab.process("v0.9");
    const runner = openai().chat.completions.stream({ model: "m", messages, n: 2 });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls).toMatchObject(tool_calls);
    expect(final.choices.map(({ finish_reason: reason }) => reason)).toEqual(["tool_calls", "stop"]);
    expect(final.choices[1]?.message.content).toBe("two");
    expect((await lab.seen()).body).not.toContain("stream");
  });

  it("a message's stream whose answer uses tools and thinks", async () => {
    const content = [
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "text", text: "Let me see. \u{1f600}" },
      { type: "tool_use", id: "toolu_1", name: "f", input: { a: [1, "x"] } },
    ];
    const usage = { input_tokens: 3, output_tokens: 9 };
    const answer = {
      id: "msg",
      type: "message",
      role: "assistant",
      model: "m",
      content,
      stop_reason: "tool_use",
      stop_sequence: null,
      usage,
    };
    lab.gateway.answer((response) => void response.end(JSON.stringify(answer)));
    lab.process("v0.9");
    const anthropic = new Anthropic({ apiKey: "any", baseURL: front.url, maxRetries: 0 });
    const final = await anthropic.messages.stream({ model: "m", max_tokens: 6, messages }).finalMessage();
    expect(final.content).toEqual(content);
    expect([final.stop_reason, final.usage.output_tokens]).toEqual(["tool_use", 9]);
  });

  it("more waiters than may wait: 429, tried again as they are told", async () => {
    const narrow = await (await QueueFront.start(lab.server.url, { maxWaiters: 1 })).healthy();
    try {
      const client = new OpenAI({ apiKey: "any", baseURL: `${narrow.url}/v1` });
      const first = chat(client);
      await until(async () => (await lab.redis.zcard("request-sortedset")) === 1, { what: "the first" });
      const failure = await chat(client).catch((error: unknown) => error);
      expect(failure).toMatchObject({ status: 429 });
      lab.process("v0.9");
      expect((await first).id).toBe("chatcmpl-fake");
      expect((await chat(client, { maxRetries: 2 })).id).toBe("chatcmpl-fake");
    } finally {
      await narrow.stop();
    }
  });
});
