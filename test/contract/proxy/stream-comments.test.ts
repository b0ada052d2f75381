import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { sse } from "../../support/proxy/fake-worker.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

/** A fetch that tells when a comment has come, before its caller has read it. */
function watchedFetch() {
  let tell: () => void = () => undefined;
  const commented = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const watch = async (stream: ReadableStream<Uint8Array>) => {
    let text = "";
    for await (const part of stream) {
      text += Buffer.from(part).toString();
      if (text.includes(": keep-alive\n\n")) tell();
    }
  };
  const fetchIt: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    if (answer.body === null) return answer;
    const [own, theirs] = answer.body.tee();
    void watch(own);
    return new Response(theirs, answer);
  };
  return { fetch: fetchIt, commented };
}

/** A worker that says nothing before its first event, and between two, until the client has had a comment. */
async function start(events: readonly string[]) {
  const { proxy, worker } = await bench.start(1, { settings: "proxy: { streamCommentMs: 5 }" });
  const { fetch: watched, commented } = watchedFetch();
  worker.behave = async (response) => {
    sse(response);
    response.flushHeaders();
    await commented;
    for (const event of events) response.write(event);
    response.end();
  };
  return { url: proxy.url, fetch: watched };
}

const delta = (content: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content } }] })}\n\n`;
const named = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;

describe("comments while a worker is silent", () => {
  it("are passed over by OpenAI's client", async () => {
    const { url, fetch } = await start([delta("one "), delta("two"), "data: [DONE]\n\n"]);
    const openai = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0, fetch });
    const messages = [{ role: "user" as const, content: "hi" }];
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ model: "m", messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("one two");
  });

  it("are passed over by Anthropic's client", async () => {
    const message = { id: "m", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };
    const { url, fetch } = await start([
      named("message_start", { message: { ...message, usage: { input_tokens: 1, output_tokens: 0 } } }),
      named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "one two" } }),
      named("content_block_stop", { index: 0 }),
      named("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } }),
      named("message_stop", {}),
    ]);
    const anthropic = new Anthropic({ apiKey: "any", baseURL: url, maxRetries: 0, fetch });
    const messages = [{ role: "user" as const, content: "hi" }];
    const whole = await anthropic.messages.stream({ model: "m", max_tokens: 8, messages }).finalMessage();
    expect([whole.content, whole.stop_reason]).toEqual([[{ type: "text", text: "one two" }], "end_turn"]);
  });
});
