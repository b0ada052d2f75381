import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../src/json/index.ts";
import { engineOptions, parseBody, refusalOf, sglang, vllm } from "./fixtures.ts";

const path = "/v1/messages";
const hello = { role: "user", content: "hi" };

const engines = { vllm, sglang };

function parsedFor(engine: keyof typeof engines | undefined, body: object) {
  const request = { model: "m", max_tokens: 5, messages: [hello], ...body };
  return parseBody(path, request, engineOptions(engine === undefined ? undefined : engines[engine]));
}

function chatOf(engine: keyof typeof engines, body: object): unknown {
  const parsed = parsedFor(engine, body);
  if (parsed.api !== "messages") throw new TypeError(parsed.api === "promptless" ? parsed.reason : parsed.api);
  return parsed.chat.messages.map((message) => JSON.parse(stringifyJson(message)) as unknown);
}

const text = (value: string) => ({ type: "text", text: value });
const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "t", content });
const tool = (content: unknown) => ({ role: "tool", content, tool_call_id: "t" });
const use = { type: "tool_use", id: "t", name: "f", input: { n: 1.0, s: "é" } };
const calls = [{ id: "t", type: "function", function: { name: "f", arguments: '{"n":1,"s":"é"}' } }];
const header = text("x-anthropic-billing-header: v=1;");

// The engines' own conversions differ in these (vLLM's anthropic/serving.py, SGLang's anthropic/request_conversion.py).
describe("a Messages request as each engine makes chat of it", () => {
  it.each([
    {
      name: "system blocks",
      body: { system: [text("a"), header, text("b")] },
      vllm: [{ role: "system", content: "ab" }, hello],
      sglang: [{ role: "system", content: `a\n${header.text}\nb` }, hello],
    },
    {
      name: "an empty system prompt",
      body: { system: "" },
      vllm: [hello],
      sglang: [hello],
    },
    {
      name: "text beside tool results",
      body: { messages: [{ role: "user", content: [text("a"), result([text("1"), text("2")]), text("b"), text("")] }] },
      vllm: [tool("1\n2"), { role: "user", content: [text("a"), text("b")] }],
      sglang: [
        { role: "user", content: "a" },
        tool([text("1"), text("2")]),
        { role: "user", content: [text("b"), text("")] },
      ],
    },
    {
      name: "tool results alone",
      body: { messages: [{ role: "user", content: [result("1")] }] },
      vllm: [tool("1")],
      sglang: [tool("1")],
    },
    {
      name: "a call without text",
      body: { messages: [hello, { role: "assistant", content: [use] }] },
      vllm: [hello, { role: "assistant", tool_calls: calls }],
      sglang: [hello, { role: "assistant", content: "", tool_calls: calls }],
    },
    {
      name: "a call with text",
      body: { messages: [hello, { role: "assistant", content: [text("x"), use] }] },
      vllm: [hello, { role: "assistant", content: "x", tool_calls: calls }],
      sglang: [hello, { role: "assistant", content: "x", tool_calls: calls }],
    },
  ])("has $name", ({ body, vllm, sglang }) => {
    expect(chatOf("vllm", body)).toEqual(vllm);
    expect(chatOf("sglang", body)).toEqual(sglang);
  });

  it("joins vLLM's leading system messages to its system prompt", () => {
    const messages = [{ role: "system", content: "b" }, { role: "system", content: [text("c"), text("d")] }, hello];
    expect(chatOf("vllm", { system: "a", messages })).toEqual([{ role: "system", content: "a\n\nb\n\ncd" }, hello]);
  });

  it("joins vLLM's thinking", () => {
    const thought = (thinking: string) => ({ type: "thinking", thinking, signature: "" });
    const content = [thought("a"), { type: "redacted_thinking", data: "x" }, thought("b"), text("c")];
    expect(chatOf("vllm", { messages: [{ role: "assistant", content }] })).toEqual([
      { role: "assistant", content: "c", reasoning_content: "ab" },
    ]);
  });

  it("hands the effort to vLLM's template", () => {
    const parsed = parsedFor("vllm", { output_config: { effort: "low" }, chat_template_kwargs: { a: 1 } });
    expect(parsed).toMatchObject({ api: "messages", chat: { templateArgs: expect.anything() as unknown } });
    const args = parsed.api === "messages" ? parsed.chat.templateArgs : undefined;
    expect(args === undefined ? undefined : stringifyJson(args)).toBe('{"a":1,"reasoning_effort":"low"}');
  });

  it("has tools as functions, and a choice", () => {
    const parsed = parsedFor("vllm", { tools: [{ name: "f", description: "D", input_schema: { b: 1, a: 2 } }] });
    const chat = parsed.api === "messages" ? parsed.chat : undefined;
    expect(chat?.toolChoice).toBe("auto");
    expect(chat?.tools?.map(stringifyJson)).toEqual([
      '{"type":"function","function":{"name":"f","description":"D","parameters":{"b":1,"a":2}}}',
    ]);
  });
});

describe("a Messages request whose form in chat is not known", () => {
  const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "d" } };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  it.each([
    ["a document", "vllm", { messages: [{ role: "user", content: [document] }] }],
    ["an image", "sglang", { messages: [{ role: "user", content: [image] }] }],
    [
      "an image by URL",
      "vllm",
      { messages: [{ role: "user", content: [{ type: "image", source: { type: "url" } }] }] },
    ],
    ["a late system message", "vllm", { messages: [hello, { role: "system", content: "s" }] }],
    ["a hosted tool", "vllm", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["a tool without description", "sglang", { tools: [{ name: "f", input_schema: {} }] }],
    ["thinking switched off", "vllm", { thinking: { type: "disabled" } }],
    [
      "thinking to replay",
      "sglang",
      { messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "a", signature: "" }] }] },
    ],
  ] as const)("is routed by load: %s", (_, engine, body) => {
    expect(parsedFor(engine, body)).toMatchObject({ api: "promptless", model: "m" });
  });

  it("is routed by load where the engine is not known", () => {
    expect(parsedFor(undefined, {})).toMatchObject({ api: "promptless" });
  });

  it("is refused without messages", () => {
    const parse = () => parseBody(path, { model: "m", max_tokens: 5 }, engineOptions(vllm));
    expect(refusalOf(parse)).toMatchObject({ status: 400, field: "messages" });
  });
});
