import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { RedisServer } from "../support/redis-server.ts";
import { HandProcessor, type Member } from "./hand-processor.ts";
import { RunningFront } from "./running-front.ts";

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const call = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Grüße", refusal: null, tool_calls: [call] },
      logprobs: null,
      finish_reason: "tool_calls",
    },
    { index: 1, message: { role: "assistant", content: "b", refusal: null }, logprobs: null, finish_reason: "stop" },
  ],
  usage,
};
const textCompletion = {
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, text: "Once", logprobs: null, finish_reason: "length" }],
  usage,
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "text", text: "hi", citations: null },
    { type: "tool_use", id: "toolu_1", name: "f", input: { a: [1, { b: "c" }] } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status: "completed",
  error: null,
  incomplete_details: null,
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "why" }] },
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "hi", annotations: [], logprobs: [] }],
    },
    { id: "fc_1", type: "function_call", call_id: "c1", name: "f", arguments: "{}", status: "completed" },
  ],
  parallel_tool_calls: true,
  tools: [],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};

let server: RedisServer;
let processor: HandProcessor;
const open: RunningFront[] = [];

beforeAll(async () => {
  server = await RedisServer.start("redis-server");
});
afterAll(() => server.stop());
beforeEach(async () => {
  processor = new HandProcessor(server.url);
  await processor.redis.flushall();
});
afterEach(async () => {
  for (const front of open.splice(0)) await front.close();
  processor.close();
});

async function start(settings = "streaming: replay"): Promise<RunningFront> {
  const front = await RunningFront.start(server.url, settings);
  open.push(front);
  return front;
}

function openai(front: RunningFront): OpenAI {
  return new OpenAI({ baseURL: `${front.url}/v1`, apiKey: "sk", maxRetries: 0 });
}

async function answerNext(result: object): Promise<Member> {
  const member = await processor.next();
  await processor.answer(member, result);
  return member;
}

const whole = (body: object) => ({ status_code: 200, payload: JSON.stringify(body) });

/** Expected: what the APIs' own libraries make of the events is the answer that came through the queue. */
describe("an answer as a stream, read by the APIs' libraries", () => {
  it("of Chat Completions", async () => {
    const front = await start();
    const stream = openai(front).chat.completions.stream({
      model: "m",
      messages: [],
      stream_options: { include_usage: true },
    });
    const member = await answerNext(whole(completion));
    expect(await stream.finalChatCompletion()).toMatchObject(completion);
    // What is queued asks for no stream.
    expect(member.data.payload).toEqual({ model: "m", messages: [] });
  });

  it("of Completions, without token counts that nobody asked for", async () => {
    const front = await start();
    const chunks: OpenAI.Completion[] = [];
    const sent = openai(front).completions.create({ model: "m", prompt: "x", stream: true });
    await answerNext(whole(textCompletion));
    for await (const chunk of await sent) chunks.push(chunk);
    expect(chunks.map(({ choices }) => choices[0]?.text).join("")).toBe("Once");
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("length");
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
  });

  it("of Messages", async () => {
    const front = await start();
    const client = new Anthropic({ baseURL: front.url, apiKey: "sk", maxRetries: 0 });
    const stream = client.messages.stream({ model: "m", max_tokens: 9, messages: [] });
    await answerNext(whole(message));
    expect(await stream.finalMessage()).toMatchObject({
      ...message,
      content: [message.content[0], { text: "hi" }, message.content[2]],
    });
  });

  it("of Responses", async () => {
    const front = await start();
    const stream = openai(front).responses.stream({ model: "m", input: "x" });
    const numbers: number[] = [];
    const deltas: string[] = [];
    stream.on("event", (event) => numbers.push(event.sequence_number));
    stream.on("response.output_text.delta", ({ delta }) => deltas.push(delta));
    await answerNext(whole(response));
    expect(await stream.finalResponse()).toMatchObject(response);
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(deltas.join("")).toBe("hi");
  });
});

describe("a stream that waits", () => {
  const settings = "streaming: replay, keepAliveMs: 30";
  const body = { model: "m", messages: [], stream: true };

  it("is kept alive by comments", async () => {
    const front = await start(settings);
    const sent = await front.post("/v1/chat/completions", body);
    expect(sent.headers.get("content-type")).toBe("text/event-stream");
    await answerNext(whole(completion));
    const text = await sent.text();
    expect(text.startsWith(": queued\n\n")).toBe(true);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it.each([
    ["/v1/chat/completions", /data: \{"error":\{[^\n]*"code":"gate_dropped"[^\n]*\n\ndata: \[DONE\]\n\n$/],
    ["/v1/messages", /event: error\ndata: \{"type":"error","error":\{"type":"rate_limit_error"[^\n]*\n\n$/],
    ["/v1/responses", /event: error\ndata: \{"type":"error","code":"gate_dropped"[^\n]*"sequence_number":0\}\n\n$/],
  ])("of %s ends with an error event when the request fails", async (path, end) => {
    const front = await start(settings);
    const sent = await front.post(path, body);
    await answerNext({ payload: "{}", error_code: "GATE_DROPPED" });
    expect(await sent.text()).toMatch(end);
  });

  it("gets the gateway's error in the API's form", async () => {
    const front = await start(settings);
    const sent = await front.post("/v1/chat/completions", body);
    await answerNext({ status_code: 400, payload: '{"error":{"message":"too long","type":"x"}}' });
    expect(await sent.text()).toContain('data: {"error":{"message":"too long","type":"x"}}\n\ndata: [DONE]\n\n');
  });

  it("is answered with the failure's status when it comes before the first comment", async () => {
    const front = await start();
    const sent = front.post("/v1/chat/completions", body);
    await answerNext({ payload: "{}", error_code: "GATE_DROPPED" });
    expect((await sent).status).toBe(429);
  });
});
