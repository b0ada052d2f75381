import { describe, expect, it } from "vitest";
import type { StreamFormat } from "../../../../src/http/index.ts";
import { FirstContent } from "../../../../src/surface/proxy/first-content.ts";

function chat(delta: object): string {
  return `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;
}

/** Index of the first event at which content is seen, with the bytes in pieces of `size`; -1 = none. */
function firstAt(format: StreamFormat, events: readonly string[], size: number): number {
  const detector = new FirstContent(format);
  return events.findIndex((event) => {
    for (let at = 0; at < event.length; at += size) {
      if (detector.sees(Buffer.from(event.slice(at, at + size)))) return true;
    }
    return false;
  });
}

const named = (type: string, fields: object = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

describe.each([1, 5, 100_000])("the first content, in pieces of %i bytes", (size) => {
  it.each<[string, StreamFormat, readonly string[], number]>([
    ["text after the role", "chat", [chat({ role: "assistant", content: "" }), chat({ content: "a" })], 1],
    ["a role with text", "chat", [chat({ role: "assistant", content: "a" })], 0],
    ["reasoning", "chat", [chat({ role: "assistant" }), chat({ reasoning_content: "hm" })], 1],
    ["reasoning by its other name", "chat", [chat({ content: null, reasoning: "hm" })], 0],
    ["a tool call", "chat", [chat({ role: "assistant", content: null }), chat({ tool_calls: [{ index: 0 }] })], 1],
    ["usage alone", "chat", ['data: {"choices":[],"usage":{"prompt_tokens":3}}\n\n', chat({ content: "a" })], 1],
    ["comments", "chat", [": ping\n\n", chat({ content: "a" })], 1],
    ["no content", "chat", [chat({ role: "assistant", content: "" }), "data: [DONE]\n\n"], -1],
    ["broken JSON", "chat", ["data: {\n\n", "data: null\n\n", "data: []\n\n", chat({ content: "a" })], 3],
    ["carriage returns", "chat", [chat({ content: "a" }).replaceAll("\n", "\r\n")], 0],
    ["completions", "completions", ['data: {"choices":[{"text":""}]}\n\n', 'data: {"choices":[{"text":"a"}]}\n\n'], 1],
    [
      "Responses",
      "responses",
      [
        named("response.created", { response: { instructions: "x".repeat(40_000) } }),
        named("response.in_progress"),
        named("response.output_item.added"),
        named("response.content_part.added"),
        named("response.output_text.delta", { delta: "a" }),
      ],
      4,
    ],
    ["reasoning in Responses", "responses", [named("response.created"), named("response.reasoning_text.delta")], 1],
    [
      "calls in Responses, without event lines",
      "responses",
      ['data: {"type":"response.created"}\n\n', 'data: {"type":"response.function_call_arguments.delta"}\n\n'],
      1,
    ],
    [
      "Messages",
      "messages",
      [named("message_start"), named("content_block_start"), named("ping"), named("content_block_delta")],
      3,
    ],
    ["generate", "generate", ['data: {"text":"","meta_info":{}}\n\n', 'data: {"text":"a"}\n\n'], 1],
    ["generate with ids", "generate", ['data: {"output_ids":[5],"meta_info":{}}\n\n'], 0],
  ])("%s", (_name, format, events, at) => {
    expect(firstAt(format, events, size)).toBe(at);
  });
});
