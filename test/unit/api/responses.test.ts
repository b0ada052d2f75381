import { describe, expect, it } from "vitest";
import type { ChatParsed } from "../../../src/api/index.ts";
import { stringifyJson } from "../../../src/json/index.ts";
import { parseBody, parseText, refusalOf } from "./fixtures.ts";

const path = "/v1/responses";

function parse(body: object): ChatParsed {
  const parsed = parseBody(path, { model: "m", ...body });
  if (parsed.api !== "responses") throw new Error(parsed.api);
  return parsed;
}

function messages(body: object): string[] {
  return parse(body).chat.messages.map(stringifyJson);
}

const call = (name: string, extra: object = {}): object => ({
  type: "function_call",
  call_id: "c",
  name,
  arguments: "{}",
  ...extra,
});
const fn = (name: string, extra: object = {}): object => ({ type: "function", name, ...extra });

describe("Responses equal the chat request that they stand for", () => {
  it.each([true, false, undefined])("with stream %s", (stream) => {
    const responses = parse({ instructions: "Be brief.", input: "hi", stream });
    const chat = parseBody("/v1/chat/completions", {
      model: "m",
      stream,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi" },
      ],
    });
    if (chat.api !== "chat") throw new Error(chat.api);
    expect(responses.chat.messages.map(stringifyJson)).toEqual(chat.chat.messages.map(stringifyJson));
    expect(responses.extensions.stream).toBe(stream ?? false);
  });
});

describe("items", () => {
  it("of Codex: two developer messages become one system turn, items carry ids", () => {
    const input = [
      { type: "message", id: "msg_1", role: "developer", content: [{ type: "input_text", text: "A" }] },
      { type: "message", id: "msg_2", role: "developer", content: [{ type: "input_text", text: "B" }] },
      { type: "message", id: "msg_3", role: "user", content: [{ type: "input_text", text: "q" }] },
      { type: "reasoning", id: "r", summary: [], content: null, encrypted_content: "e" },
      call("f", { id: "fc_1", status: null, namespace: null, async: null, caller: null }),
      { type: "function_call_output", id: "fco_1", call_id: "c", output: "20C" },
    ];
    expect(messages({ input, client_metadata: {}, include: ["reasoning.encrypted_content"] })).toEqual([
      '{"role":"system","content":"A\\n\\nB"}',
      '{"role":"user","content":"q"}',
      '{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}',
      '{"role":"tool","content":"20C","tool_call_id":"c"}',
    ]);
  });

  it("a reference does not end the assistant's turn, a dropped item does", () => {
    const assistant = (text: string): object => ({ role: "assistant", content: text });
    const search = { type: "web_search_call", id: "w", status: "completed" };
    expect(messages({ input: [assistant("a"), { id: "x" }, assistant("b")] })).toEqual([
      '{"role":"assistant","content":"ab"}',
    ]);
    expect(messages({ input: [assistant("a"), search, assistant("b")] })).toEqual([
      '{"role":"assistant","content":"a"}',
      '{"role":"assistant","content":"b"}',
    ]);
  });

  it("an untyped message with an id is taken for a reference", () => {
    const input = [
      { role: "user", content: "lost", id: "m1" },
      { role: "user", content: "x" },
    ];
    expect(messages({ input })).toEqual(['{"role":"user","content":"x"}']);
  });

  it("reasoning is split by the calls it led to", () => {
    const think = (text: string): object => ({ type: "reasoning", summary: [{ type: "summary_text", text }] });
    expect(messages({ input: [think("a"), call("f"), think("b"), call("g")] })[0]).toContain(
      '"reasoning_content":["a","b",""]',
    );
    expect(messages({ input: [think("a"), think("b")] })[0]).toBe(
      '{"role":"assistant","content":"","reasoning_content":"ab"}',
    );
  });

  it("repeated keys inside items are not refused: the last stands", () => {
    const text = '{"model":"m","input":[{"role":"user","content":"a","content":"b"}]}';
    const parsed = parseText(path, text);
    expect(parsed.api === "responses" && parsed.chat.messages[0]?.get("content")).toBe("b");
  });

  it.each([
    ["an unknown type", { type: "banana" }, "input[0].type"],
    ["a null type", { type: null, role: "user", content: "x" }, "input[0].type"],
    ["the tool role", { role: "tool", content: "x" }, "input[0].role"],
    ["a chat part", { role: "user", content: [{ type: "text", text: "x" }] }, "input[0].content[0].type"],
    [
      "an answer's part in an untyped message",
      { role: "assistant", content: [{ type: "output_text", text: "x" }] },
      "input[0].content[0].type",
    ],
    ["a call without its id", { type: "function_call", name: "f", arguments: "{}" }, "input[0].call_id"],
    ["a custom call without id", { type: "custom_tool_call", call_id: "c", name: "n", input: "" }, "input[0].id"],
    ["an image that is not given", { role: "user", content: [{ type: "input_image" }] }, "input[0].content[0]"],
    [
      "an image by file id",
      { role: "user", content: [{ type: "input_image", file_id: "f" }] },
      "input[0].content[0].file_id",
    ],
    [
      "a relative image",
      { role: "user", content: [{ type: "input_image", image_url: "x" }] },
      "input[0].content[0].image_url",
    ],
    ["a file", { role: "user", content: [{ type: "input_file", file_id: "f" }] }, "input[0].content[0]"],
    ["no item", "x", "input[0]"],
  ])("%s is refused", (_, item, field) => {
    expect(refusalOf(() => parse({ input: [item] }))).toMatchObject({ status: 400, field });
  });

  it("none is refused, as there is no message then", () => {
    expect(refusalOf(() => parse({ input: [] }))).toMatchObject({ status: 400, field: "messages" });
  });
});

describe("tools", () => {
  const names = (body: object): unknown[] =>
    (parse({ input: "x", ...body }).chat.tools ?? []).map((tool) => JSON.parse(stringifyJson(tool)).function.name);
  const space = (name: string, ...tools: readonly object[]): object => ({
    type: "namespace",
    name,
    description: "d",
    tools,
  });

  it("of a namespace are flattened; equal names get aliases that history shares", () => {
    const tools = [fn("f"), space("a b", fn("f"), fn("g"))];
    expect(names({ tools })).toEqual(["function__f", "a_b__f", "g"]);
    const history = messages({ tools, input: [call("f", { namespace: "a b" }), call("h")] });
    expect(history[0]).toContain('"name":"a_b__f"');
    expect(history[0]).toContain('"name":"h"');
  });

  it("aliases never take a name that is there", () => {
    const tools = [fn("f"), space("n", fn("f")), fn("n__f"), fn("function__f")];
    expect(names({ tools })).toEqual(["function__f_0", "n__f_1", "n__f", "function__f"]);
  });

  it("allowed_tools leaves only the allowed ones in the prompt", () => {
    const tool_choice = { type: "allowed_tools", mode: "auto", tools: [fn("g")] };
    expect(names({ tools: [fn("f"), fn("g")], tool_choice })).toEqual(["g"]);
  });

  it.each([
    ["auto", '"auto"'],
    [{ type: "none", x: 1 }, '"none"'],
    [{ type: "function", name: "f" }, '{"type":"function","function":{"name":"f"}}'],
    [null, "null"],
  ])("the choice %j reaches chat", (tool_choice, expected) => {
    expect(stringifyJson(parse({ input: "x", tools: [fn("f")], tool_choice }).chat.toolChoice ?? null)).toBe(expected);
  });

  it("an ambiguous bare choice is refused, a top-level one wins", () => {
    const tool_choice = { type: "function", name: "f" };
    const tools = [space("a", fn("f")), space("b", fn("f"))];
    expect(refusalOf(() => parse({ input: "x", tools, tool_choice }))).toMatchObject({
      status: 400,
      field: "tool_choice",
    });
    const chosen = parse({ input: "x", tools: [...tools, fn("f")], tool_choice }).chat.toolChoice;
    expect(stringifyJson(chosen ?? null)).toContain('"name":"function__f"');
  });

  it.each([
    [{ tools: [{ type: "web_search" }] }, "tools[0]"],
    [{ tools: [fn("f"), { type: "mcp", server_label: "s" }] }, "tools[1]"],
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools[0].name"],
    [{ tools: [fn("f", { strict: true, parameters: { type: "object" } })] }, "tools[0].parameters"],
    [{ tool_choice: { type: "mcp", name: "a", server_label: "b" } }, "tool_choice"],
    [{ tool_choice: { type: "zz" } }, "tool_choice.type"],
    [{ tools: [fn("f")], tool_choice: { type: "allowed_tools", mode: "auto", tools: [] } }, "tool_choice.tools"],
    [{ tools: [fn("f")], tool_choice: { type: "allowed_tools", mode: "auto", tools: [fn("z")] } }, "tool_choice.tools"],
  ])("%j is refused", (extra, field) => {
    expect(refusalOf(() => parse({ input: "x", ...extra }))).toMatchObject({ status: 400, field });
  });
});

describe("the top level", () => {
  it.each([
    [{ background: true }, "background"],
    [{ previous_response_id: "r" }, "previous_response_id"],
    [{ prompt: { id: "p" } }, "prompt"],
    [{ max_tool_calls: 1 }, "max_tool_calls"],
    [{ nvext: { extra_fields: ["prompt_logprobs"] } }, "nvext.extra_fields"],
  ])("%j is not implemented there", (extra, field) => {
    expect(refusalOf(() => parse({ input: "x", ...extra }))).toMatchObject({ status: 501, field });
  });

  it("drops what it does not know, and takes null for absent", () => {
    const extra = { previous_response_id: null, background: false, thinking: true, user: 3, stop: "x", zz: { a: 1 } };
    expect(parse({ input: "x", ...extra }).chat.templateArgs).toBeUndefined();
  });

  it("turns the effort into template arguments", () => {
    expect(stringifyJson(parse({ input: "x", reasoning: { effort: "none" } }).chat.templateArgs ?? null)).toBe(
      '{"thinking":false,"enable_thinking":false,"thinking_mode":"disabled","reasoning_effort":"none"}',
    );
  });

  it.each([
    [{ max_tokens: 1, max_output_tokens: 1 }, "max_output_tokens"],
    [{ service_tier: "ultrafast" }, "service_tier"],
    [{ text: { format: null } }, "text.format"],
    [{ text: { format: { type: "json_schema", name: "", schema: {} } } }, "text.format.json_schema.name"],
    [{ metadata: { a: 1 } }, "metadata.a"],
    [{ chat_template_kwargs: { chat_template: "x" } }, "chat_template_args.chat_template"],
    [{ model: undefined }, "model"],
  ])("refuses %j", (extra, field) => {
    expect(refusalOf(() => parse({ input: "x", ...extra }))).toMatchObject({ status: 400, field });
  });
});
