import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SimWorker, startSimWorker } from "../../../src/sim-worker/index.ts";
import { FakeWorker, resetLater, sse } from "../../support/proxy/fake-worker.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

let workers: SimWorker[];
let proxy: RunningProxy;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  workers = await Promise.all(
    [1, 2].map(() => startSimWorker({ models: ["m"], timeScale: 0, defaultOutputTokens: 8 })),
  );
  proxy = await RunningProxy.start({ workers });
  openai = new OpenAI({ apiKey: "any", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: "any", baseURL: proxy.url, maxRetries: 0 });
});

afterAll(async () => {
  await proxy?.close();
  for (const worker of workers ?? []) await worker.close();
});

const messages = [{ role: "user" as const, content: "Why is the sky blue?" }];

describe("OpenAI's client", () => {
  it("chats, whole and streamed alike", async () => {
    const whole = await openai.chat.completions.create({ model: "m", messages });
    const stream = await openai.chat.completions.create({
      model: "m",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
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

  it("completes, whole and streamed alike", async () => {
    const whole = await openai.completions.create({ model: "m", prompt: "Once" });
    let text = "";
    for await (const chunk of await openai.completions.create({ model: "m", prompt: "Once", stream: true })) {
      text += chunk.choices[0]?.text ?? "";
    }
    expect(text).not.toBe("");
    expect(text).toBe(whole.choices[0]?.text);
  });

  it("gets responses, whole and streamed alike, and completed", async () => {
    const whole = await openai.responses.create({ model: "m", input: "Why?" });
    let text = "";
    let status: string | undefined;
    for await (const event of await openai.responses.create({ model: "m", input: "Why?", stream: true })) {
      if (event.type === "response.output_text.delta") text += event.delta;
      if (event.type === "response.completed") status = event.response.status;
    }
    expect(text).not.toBe("");
    expect([text, status]).toEqual([whole.output_text, "completed"]);
  });

  it("gets embeddings and models", async () => {
    const { data } = await openai.embeddings.create({ model: "m", input: ["a", "b"] });
    expect(data).toHaveLength(2);
    const ids: string[] = [];
    for await (const model of openai.models.list()) ids.push(model.id);
    expect(ids).toEqual(["m", "alias"]);
    expect((await openai.models.retrieve("alias")).id).toBe("alias");
  });

  it("has errors of its own classes", async () => {
    const chat = (model: string) => openai.chat.completions.create({ model, messages });
    await expect(chat("other")).rejects.toThrow(OpenAI.NotFoundError);
    await expect(openai.responses.retrieve("resp_none")).rejects.toThrow(OpenAI.NotFoundError);
  });
});

describe("Anthropic's client", () => {
  it("gets messages, whole and streamed alike", async () => {
    const whole = await anthropic.messages.create({ model: "m", max_tokens: 6, messages });
    const stream = anthropic.messages.stream({ model: "m", max_tokens: 6, messages });
    const final = await stream.finalMessage();
    const [block] = whole.content;
    expect(block?.type === "text" ? block.text : "").not.toBe("");
    expect([final.content, final.stop_reason]).toEqual([whole.content, "max_tokens"]);
    expect(final.usage.output_tokens).toBe(6);
  });

  it("counts tokens and lists models", async () => {
    const { input_tokens } = await anthropic.messages.countTokens({ model: "m", messages });
    expect(input_tokens).toBeGreaterThan(3);
    const ids: string[] = [];
    for await (const model of anthropic.models.list()) ids.push(model.id);
    expect(ids).toEqual(["m", "alias"]);
  });

  it("has errors of its own classes", async () => {
    const asked = anthropic.messages.create({ model: "other", max_tokens: 1, messages });
    await expect(asked).rejects.toThrow(Anthropic.NotFoundError);
  });
});

describe("a worker that dies within a stream", () => {
  let dying: FakeWorker;
  let other: RunningProxy;
  beforeAll(async () => {
    dying = await FakeWorker.start((response, { target }) => {
      sse(response);
      response.write(firstEvents[target] ?? "");
      resetLater(response, 10);
    });
    other = await RunningProxy.start({ workers: [dying] });
  });
  afterAll(async () => {
    await other?.close();
    await dying?.close();
  });

  const firstEvents: Readonly<Record<string, string>> = {
    "/v1/chat/completions": 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: {"cho',
    "/v1/responses":
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":4,"delta":"a"}\n\nevent: resp',
    "/v1/messages":
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":0}}}\n\nevent: content',
  };

  it("is an error of OpenAI's client", async () => {
    const client = new OpenAI({ apiKey: "any", baseURL: `${other.url}/v1`, maxRetries: 0 });
    const chat = await client.chat.completions.create({ model: "m", messages, stream: true });
    await expect(Array.fromAsync(chat)).rejects.toThrow("the worker broke the connection");
    const events: { type: string; sequence_number?: number }[] = [];
    const read = async () => {
      for await (const event of await client.responses.create({ model: "m", input: "a", stream: true }))
        events.push(event);
    };
    await read().catch((error: unknown) => expect(String(error)).toContain("the worker broke the connection"));
    expect(events.at(0)?.type).toBe("response.output_text.delta");
    if (events.length > 1) expect(events.at(-1)).toMatchObject({ type: "error", sequence_number: 5 });
  });

  it("is an error of Anthropic's client", async () => {
    const client = new Anthropic({ apiKey: "any", baseURL: other.url, maxRetries: 0 });
    const stream = await client.messages.create({ model: "m", max_tokens: 9, messages, stream: true });
    await expect(Array.fromAsync(stream)).rejects.toThrow("the worker broke the connection");
  });
});
