import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../src/json/index.ts";
import { parseBody, parseText, refusalOf } from "./fixtures.ts";

const path = "/v1/messages?beta=true";
const hello = { role: "user", content: "hi" };
const request = { model: "m", max_tokens: 5, messages: [hello] };

function parsed(body: object) {
  const result = parseBody(path, { ...request, ...body });
  if (result.api !== "messages") throw new TypeError("no Messages request");
  return result;
}

/** Messages of the chat request that the body stands for. */
function chatOf(body: object): unknown {
  return parsed(body).chat.messages.map((message) => JSON.parse(stringifyJson(message)) as unknown);
}

const use = (id: string, input: object) => ({ type: "tool_use", id, name: "f", input });
const call = (id: string, args: string) => ({ id, type: "function", function: { name: "f", arguments: args } });
const thought = (thinking: string) => ({ type: "thinking", thinking, signature: "s" });
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };

// Each form was seen in the tokens of the Dynamo 1.6.1 frontend.
describe("a Messages request in the form of chat", () => {
  it.each([
    { name: "a plain text", messages: [hello], chat: [hello] },
    {
      name: "a user's texts, joined",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
      chat: [{ role: "user", content: "ab" }],
    },
    {
      name: "system messages, where they stand, their blocks as lines",
      messages: [hello, { role: "system", content: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }] }],
      chat: [hello, { role: "system", content: "a\nb" }],
    },
    {
      name: "tool results in the order of their blocks",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "1" }, { text: "2" }] },
            { type: "tool_result", tool_use_id: "u", is_error: true },
            { type: "text", text: "b" },
          ],
        },
      ],
      chat: [
        { role: "user", content: "a" },
        { role: "tool", content: "12", tool_call_id: "t" },
        { role: "tool", content: "", tool_call_id: "u" },
        { role: "user", content: "b" },
      ],
    },
    {
      name: "a tool result that cannot be read, as an empty one",
      messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text" }] }] }],
      chat: [{ role: "tool", content: "", tool_call_id: "t" }],
    },
    {
      name: "thinking before each call and after the last, as segments",
      messages: [
        hello,
        {
          role: "assistant",
          content: [
            thought("a"),
            thought("b"),
            use("t", { n: 1.5e-9 }),
            use("u", {}),
            thought("c"),
            { type: "text", text: "x" },
          ],
        },
      ],
      chat: [
        hello,
        {
          role: "assistant",
          content: "x",
          reasoning_content: ["a\nb", "", "c"],
          tool_calls: [call("t", '{"n":1.5e-9}'), call("u", "{}")],
        },
      ],
    },
    {
      name: "thinking without calls, as text",
      messages: [hello, { role: "assistant", content: [thought("a"), { type: "redacted_thinking", data: "x" }] }],
      chat: [hello, { role: "assistant", reasoning_content: "a" }],
    },
    {
      name: "calls of server tools, as calls, and their results not at all",
      messages: [
        hello,
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "t", name: "f" },
            { type: "web_search_tool_result", tool_use_id: "t", content: [] },
          ],
        },
      ],
      chat: [hello, { role: "assistant", tool_calls: [call("t", "{}")] }],
    },
    {
      name: "an image, as a data URL",
      messages: [{ role: "user", content: [image, { type: "text", text: "a" }] }],
      chat: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "text", text: "a" },
          ],
        },
      ],
    },
    {
      name: "nothing of a user's turn without form in chat",
      messages: [{ role: "user", content: [thought("a"), use("t", {})] }, hello],
      chat: [hello],
    },
  ])("has $name", ({ messages, chat }) => {
    expect(chatOf({ messages })).toEqual(chat);
  });

  it.each([
    ["a text", "S", "S"],
    ["blocks, as lines", [{ type: "text", text: "a" }, { text: "b" }], "a\nb"],
    ["no blocks", [], ""],
    ["a billing header and another line", [{ text: "x-anthropic-billing-header: v=1;" }, { text: "S" }], "S"],
    ["a billing header after white space", "\u00a0\n x-anthropic-billing-header:\nS", "S"],
    ["a billing header alone", "x-anthropic-billing-header: v=1;", "x-anthropic-billing-header: v=1;"],
    ["a billing header that is not first", "S\nx-anthropic-billing-header: v", "S\nx-anthropic-billing-header: v"],
  ])("begins with the system prompt of %s", (_, system, content) => {
    expect(chatOf({ system })).toEqual([{ role: "system", content }, hello]);
  });

  it("has the client's tools, without members that the model does not see", () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    const { chat } = parsed({
      tools: [{ type: "custom", input_schema: schema, name: "f", description: "D", defer_loading: true, strict: null }],
    });
    expect(chat.tools?.map(stringifyJson)).toEqual([
      JSON.stringify({ type: "function", function: { name: "f", description: "D", parameters: schema } }),
    ]);
  });

  it.each([
    [{ type: "auto" }, "auto"],
    [{ type: "none" }, "none"],
    [{ type: "any", disable_parallel_tool_use: true }, "required"],
    [{ type: "tool" }, "required"],
    [
      { type: "tool", name: "f" },
      { type: "function", function: { name: "f" } },
    ],
    [
      { type: "auto", name: "f" },
      { type: "function", function: { name: "f" } },
    ],
    [{ type: "auto", name: 3 }, "auto"],
  ])("has the choice %j as %j", (choice, expected) => {
    const { chat } = parsed({ tools: [{ name: "f", input_schema: {} }], tool_choice: choice });
    expect(JSON.parse(stringifyJson(chat.toolChoice ?? null))).toEqual(expected);
  });

  it("has no tools when the list is empty", () => {
    expect(parsed({ tools: [] }).chat.tools).toBeUndefined();
  });

  it.each([
    [{ type: "enabled", budget_tokens: 1024 }, '{"thinking":true,"enable_thinking":true}'],
    [{ type: "disabled" }, undefined],
    [{ type: "adaptive", display: "omitted" }, undefined],
  ])("switches thinking by %j", (thinking, args) => {
    const { templateArgs } = parsed({ thinking }).chat;
    expect(templateArgs === undefined ? undefined : stringifyJson(templateArgs)).toBe(args);
  });

  it.each([
    [undefined, '{"thinking":true,"enable_thinking":true,"truncate_history_thinking":false}'],
    [{ type: "adaptive" }, '{"thinking":true,"enable_thinking":true,"truncate_history_thinking":false}'],
    [{ type: "disabled" }, undefined],
  ])("with a reasoning parser, switches thinking by %j", (thinking, args) => {
    const result = parseBody(path, { ...request, thinking }, { hasReasoningParser: (model) => model === "m" });
    const templateArgs = result.api === "messages" ? result.chat.templateArgs : undefined;
    expect(templateArgs === undefined ? undefined : stringifyJson(templateArgs)).toBe(args);
  });

  it("has none of the controls of chat", () => {
    const body = {
      chat_template_kwargs: { a: 1 },
      add_generation_prompt: false,
      reasoning_effort: "zz",
      cache_salt: "s",
    };
    const { chat, extensions } = parsed(body);
    expect(chat).toMatchObject({ templateArgs: undefined, addGenerationPrompt: true, continueFinalMessage: false });
    expect(extensions.cacheSalt).toBeUndefined();
  });

  it("honours the extension envelope", () => {
    const { extensions, clientPins } = parsed({
      nvext: { token_data: [1, 2], cache_salt: "s", dp_rank: 0 },
      stream: true,
    });
    expect(extensions).toMatchObject({ tokenData: Uint32Array.of(1, 2), cacheSalt: "s", stream: true });
    expect(clientPins).toEqual(["nvext.dp_rank"]);
  });
});

describe("a Messages request that the frontend refuses", () => {
  const block = (content: object) => ({
    messages: [{ role: "user", content: [{ type: "text", text: "a" }, content] }],
  });
  const answer = (content: object) => ({ messages: [hello, { role: "assistant", content: [content] }] });
  it.each([
    ["max_tokens", { max_tokens: 0 }],
    ["max_tokens", { max_tokens: 1_048_577 }],
    ["max_tokens", { max_tokens: null }],
    ["messages", { messages: [] }],
    ["messages", { messages: [], system: "x" }],
    ["messages[0].role", { messages: [{ role: "tool", content: "x" }] }],
    ["messages[0].content", { messages: [{ role: "user", content: [] }] }],
    ["messages[0].content", { messages: [{ role: "user", content: null }] }],
    ["messages[0].content[1].type", block({ type: "document", source: {} })],
    ["messages[0].content[1].type", block({ text: "a" })],
    ["messages[0].content[1].text", block({ type: "text", text: 3 })],
    [
      "messages[0].content[1].source.media_type",
      block({ type: "image", source: { type: "url", url: "https://e.com" } }),
    ],
    ["messages[0].content[1].source.type", block({ ...image, source: { ...image.source, type: "url" } })],
    [
      "messages[0].content[1].content[0]",
      block({ type: "tool_result", tool_use_id: "t", content: [{ type: "document" }] }),
    ],
    ["messages[1].content[0].signature", answer({ type: "thinking", thinking: "a" })],
    ["messages[1].content[0].input", answer({ type: "tool_use", id: "t", name: "f", input: null })],
    ["messages[1].content[0].input", answer({ type: "tool_use", id: "t", name: "f", input: "{}" })],
    ["system[0].cache_control.type", { system: [{ text: "a", cache_control: {} }] }],
    ["tools[0].type", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["tools[0].input_schema", { tools: [{ name: "f" }] }],
    ["tools[0].input_schema", { tools: [{ name: "f", input_schema: [] }] }],
    ["tools[0].name", { tools: [{ name: "a b", input_schema: {} }] }],
    ["tool_choice", { tool_choice: { type: "any" } }],
    ["tool_choice", { tools: [{ name: "f", input_schema: {} }], tool_choice: { type: "tool", name: "g" } }],
    ["stop_sequences[1]", { stop_sequences: ["a", ""] }],
    ["top_k", { top_k: 2 ** 31 }],
    ["temperature", { temperature: 2.1 }],
    ["stream", { stream: null }],
    ["thinking.type", { thinking: {} }],
    ["container", { container: { id: "c" } }],
    ["output_config.format.type", { output_config: { format: { type: "text" } } }],
    ["output_config.format.schema", { output_config: { format: { type: "json_schema" } } }],
    ["nvext.zz", { nvext: { zz: 1 } }],
  ])("is answered 400, naming %s", (field, body) => {
    expect(refusalOf(() => parseBody(path, { ...request, ...body }))).toMatchObject({ status: 400, field });
  });

  it("is answered 400 for a raw control character, which the other APIs take for itself", () => {
    const text = (body: string) => `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]${body}}`;
    for (const body of [',"system":"a\nb"', ',"zz":"\t"', ',"a\u0000b":1']) {
      expect(refusalOf(() => parseText(path, text(body)))).toMatchObject({ status: 400 });
    }
  });

  it("is answered 404 without a model's name", () => {
    expect(refusalOf(() => parseBody(path, { ...request, model: " " }))).toMatchObject({ status: 404, field: "model" });
  });

  it("is answered 400 for a member given twice, but not within a block", () => {
    const twice = '{"model":"m","max_tokens":5,"max_tokens":5,"messages":[{"role":"user","content":"hi"}]}';
    expect(refusalOf(() => parseText(path, twice)).field).toBe("max_tokens");
    const inBlock =
      '{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"a","text":"b"}]}]}';
    expect(parseText(path, inBlock)).toMatchObject({ api: "messages" });
  });
});
