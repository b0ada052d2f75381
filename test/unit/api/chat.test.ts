import { describe, expect, it } from "vitest";
import type { ChatParsed } from "../../../src/api/index.ts";
import { stringifyJson } from "../../../src/json/index.ts";
import { parseBody, parseText, refusalOf } from "./fixtures.ts";

const path = "/v1/chat/completions";
const base = { model: "m", messages: [{ role: "user", content: "hi" }] };

function parse(extra: object): ChatParsed {
  const parsed = parseBody(path, { ...base, ...extra });
  if (parsed.api !== "chat") throw new Error(parsed.api);
  return parsed;
}

function message(value: object): string {
  const [first] = parse({ messages: [value, ...base.messages] }).chat.messages;
  return first === undefined ? "" : stringifyJson(first);
}

function tool(definition: object): string | undefined {
  const [first] = parse({ tools: [{ type: "function", function: definition }] }).chat.tools ?? [];
  return first === undefined ? undefined : stringifyJson(first);
}

describe("messages as the template sees them", () => {
  it.each([
    [
      "unknown and null members are dropped",
      { content: "x", role: "assistant", annotations: [], refusal: null, audio: null, function_call: null, zz: 1 },
      '{"role":"assistant","content":"x"}',
    ],
    ["null content of an assistant is left out", { role: "assistant", content: null }, '{"role":"assistant"}'],
    [
      "reasoning is an alias",
      { role: "assistant", reasoning: ["a", "b"], content: "" },
      '{"role":"assistant","content":"","reasoning_content":["a","b"]}',
    ],
    [
      "a tool call's type is function unless given, its arguments are text",
      { role: "assistant", tool_calls: [{ function: { arguments: { n: 1 }, name: "f" }, id: "c" }] },
      '{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\\"n\\":1}"}}]}',
    ],
    [
      "an image url is spelt as a URL parser spells it",
      { role: "user", content: [{ type: "image_url", image_url: { url: "HTTPS://Host/a b" }, cache_control: {} }] },
      '{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://host/a%20b","detail":null}}]}',
    ],
    [
      "an empty media url is a cached item",
      { role: "user", content: [{ type: "image_url", image_url: { url: "" }, uuid: "u" }] },
      '{"role":"user","content":[{"type":"image_url","image_url":null,"uuid":"u"}]}',
    ],
    [
      "a function message keeps a null content",
      { role: "function", name: "f" },
      '{"role":"function","content":null,"name":"f"}',
    ],
    [
      "a system message with tools may leave out its content",
      { role: "system", tools: [{ name: "f" }] },
      '{"role":"system","content":"","tools":[{"name":"f"}]}',
    ],
    ["developer stays developer", { role: "developer", content: "d" }, '{"role":"developer","content":"d"}'],
  ])("%s", (_, value, expected) => {
    expect(message(value)).toBe(expected);
  });

  it("keeps the digits of numbers in template arguments", () => {
    const text =
      '{"model":"m","messages":[{"role":"user","content":"x"}],"chat_template_args":{"a":1.0,"b":18446744073709551615}}';
    const parsed = parseText(path, text);
    expect(parsed.api === "chat" && stringifyJson(parsed.chat.templateArgs ?? null)).toBe(
      '{"a":1.0,"b":18446744073709551615}',
    );
  });

  it.each([
    ["text parts", [{ type: "text", text: "a" }], false],
    ["a string", "a", false],
    [
      "an image",
      [
        { type: "text", text: "a" },
        { type: "image_url", image_url: { url: "https://a/" } },
      ],
      true,
    ],
    ["audio", [{ type: "input_audio", input_audio: { data: "", format: "wav" } }], true],
  ])("says whether there is media: %s", (_, content, hasMedia) => {
    expect(parse({ messages: [{ role: "user", content }] }).chat.hasMedia).toBe(hasMedia);
  });
});

describe("messages refused", () => {
  it.each([
    ["an unknown role", { role: "robot", content: "x" }, "role"],
    ["no role", { content: "x" }, "role"],
    ["a user without content", { role: "user" }, "content"],
    ["a user with null content", { role: "user", content: null }, "content"],
    ["a system without content", { role: "system", tools: [] }, "content"],
    ["a tool without its call's id", { role: "tool", content: "x" }, "tool_call_id"],
    ["an image in an assistant's turn", { role: "assistant", content: [{ type: "image_url" }] }, "content[0].type"],
    ["an unknown part", { role: "user", content: [{ type: "file", file: {} }] }, "content[0].type"],
    [
      "a relative image url",
      { role: "user", content: [{ type: "image_url", image_url: { url: "a.png" } }] },
      "content[0].image_url.url",
    ],
    ["an image without url and id", { role: "user", content: [{ type: "image_url" }] }, "content[0].image_url"],
    ["an image with an empty id", { role: "user", content: [{ type: "image_url", uuid: "" }] }, "content[0].uuid"],
    [
      "a video by id",
      { role: "tool", tool_call_id: "c", content: [{ type: "video_url", uuid: "u" }] },
      "content[0].video_url",
    ],
    ["tools off a system message", { role: "user", content: "x", tools: [] }, "tools"],
    ["partial off an assistant", { role: "user", content: "x", partial: false }, "partial"],
    [
      "arguments that are no JSON object",
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: "[1]" } }] },
      "tool_calls[0].function.arguments",
    ],
    [
      "arguments of another type",
      { role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: 1 } }] },
      "tool_calls[0].function.arguments",
    ],
    [
      "reasoning twice",
      { role: "assistant", content: "", reasoning: "a", reasoning_content: null },
      "reasoning_content",
    ],
  ])("%s", (_, value, field) => {
    expect(refusalOf(() => parse({ messages: [value] }))).toMatchObject({ status: 400, field: `messages[0].${field}` });
  });

  it("takes blank arguments of a tool call", () => {
    expect(
      message({ role: "assistant", tool_calls: [{ id: "c", function: { name: "f", arguments: " \u0085" } }] }),
    ).toContain('"arguments":" \u0085"');
  });
});

describe("tools as the template sees them", () => {
  it.each([
    [
      "a missing description comes last, empty",
      { strict: false, parameters: { type: "object", properties: {} }, name: "f" },
      '{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}},"strict":false,"description":""}}',
    ],
    [
      "a schema gains type and properties at its end",
      { name: "f", description: "d", parameters: { x: 1 } },
      '{"type":"function","function":{"name":"f","description":"d","parameters":{"x":1,"type":"object","properties":{}}}}',
    ],
    [
      "missing parameters stay missing",
      { name: "f", description: "d", parameters: null },
      '{"type":"function","function":{"name":"f","description":"d"}}',
    ],
    [
      "an empty description stays in its place",
      { name: "f", description: "", zz: 1 },
      '{"type":"function","function":{"name":"f","description":""}}',
    ],
  ])("%s", (_, definition, expected) => {
    expect(tool(definition)).toBe(expected);
  });

  it("carries the choice", () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    expect(parse({ tools, tool_choice: "none" }).chat.toolChoice).toBe("none");
    const named = parse({ tools, tool_choice: { function: { name: "f" }, type: "function" } }).chat.toolChoice;
    expect(stringifyJson(named ?? null)).toBe('{"type":"function","function":{"name":"f"}}');
  });

  it.each([
    ["an empty list", { tools: [] }, "tools"],
    [
      "a name beyond the alphabet",
      { tools: [{ type: "function", function: { name: "a b" } }] },
      "tools[0].function.name",
    ],
    ["a long name", { tools: [{ type: "function", function: { name: "n".repeat(129) } }] }, "tools[0].function.name"],
    [
      "parameters that are no schema",
      { tools: [{ type: "function", function: { name: "f", parameters: [] } }] },
      "tools[0].function.parameters",
    ],
    ["a tool without type", { tools: [{ function: { name: "f" } }] }, "tools[0].type"],
    ["a choice without tools", { tool_choice: "required" }, "tool_choice"],
    [
      "a choice of a missing tool",
      {
        tools: [{ type: "function", function: { name: "f" } }],
        tool_choice: { type: "function", function: { name: "g" } },
      },
      "tool_choice",
    ],
    ["a choice of another kind", { tool_choice: "any" }, "tool_choice"],
  ])("refuses %s", (_, extra, field) => {
    expect(refusalOf(() => parse(extra))).toMatchObject({ status: 400, field });
  });

  it("lets a system message's tools be chosen", () => {
    const messages = [{ role: "system", tools: [{ name: "f" }] }, ...base.messages];
    expect(parse({ messages, tools: [], tool_choice: { type: "function", function: { name: "f" } } }).api).toBe("chat");
  });
});

describe("the end of the prompt", () => {
  it.each([
    [{}, true, false],
    [{ add_generation_prompt: false }, false, false],
    [{ add_generation_prompt: false, continue_final_message: true }, false, true],
  ])("%j", (extra, addGenerationPrompt, continueFinalMessage) => {
    expect(parse(extra).chat).toMatchObject({ addGenerationPrompt, continueFinalMessage });
  });

  it("cannot be both continued and begun anew", () => {
    expect(refusalOf(() => parse({ continue_final_message: true }))).toMatchObject({ field: "continue_final_message" });
  });
});

describe("options beyond their limits", () => {
  it.each([
    ["temperature", 2.1],
    ["top_p", 0],
    ["top_k", -2],
    ["min_p", 1.1],
    ["n", 0],
    ["n", 256],
    ["max_tokens", 0],
    ["max_tokens", 1.5],
    ["max_completion_tokens", 1_048_577],
    ["frequency_penalty", -2.5],
    ["presence_penalty", 3],
    ["repetition_penalty", 0],
    ["stop", []],
    ["stop", Array.from({ length: 33 }, () => "x")],
    ["user", " "],
    ["stream_options", {}],
    ["logit_bias", { x: 1 }],
    ["logit_bias", { "1": 101 }],
    ["response_format", { type: "json_schema" }, "response_format.json_schema"],
    ["reasoning_effort", "extreme"],
    ["seed", 9_223_372_036_854_775_808n],
    ["cache_salt", 3],
    ["stop_token_ids", ["a"], "stop_token_ids[0]"],
    ["documents", []],
    ["chat_template", "x"],
  ])("%s", (name, value, field = name) => {
    const json = typeof value === "bigint" ? value.toString() : JSON.stringify(value);
    const text = `{"model":"m","messages":[{"role":"user","content":"x"}],"${name}":${json}}`;
    expect(refusalOf(() => parseText(path, text))).toMatchObject({ status: 400, field });
  });

  it("compares in single precision, as the frontend does", () => {
    expect(parse({ temperature: 2.000_000_01 }).api).toBe("chat");
  });

  it.each(["functions", "function_call"])("%s is not implemented there", (name) => {
    const value = name === "functions" ? [] : "auto";
    expect(refusalOf(() => parse({ [name]: value }))).toMatchObject({ status: 501, field: name });
  });
});
