import { describe, expect, it } from "vitest";
import { parseBody, parseText, refusalOf } from "./fixtures.ts";

const messages = [{ role: "user", content: "hi" }];
const chat = (extra: object) => parseBody("/v1/chat/completions", { model: "m", messages, ...extra });
const json = { type: "json_object" };
const schema = { type: "json_schema", json_schema: { name: "a", schema: {} } };
const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const named = { type: "function", function: { name: "f" } };

// Verdicts of the Dynamo 1.6.1 frontend.
describe("guided decoding", () => {
  it.each([
    { field: "guided_regex", extra: { guided_regex: "a", response_format: json } },
    { field: "guided_choice", extra: { guided_choice: ["a"], response_format: schema } },
    { field: "guided_grammar", extra: { guided_json: {}, guided_grammar: "a" } },
    { field: "guided_json", extra: { guided_json: {}, tools, tool_choice: "required" } },
    { field: "guided_choice", extra: { guided_choice: ["x"], tools, tool_choice: named } },
    {
      field: "nvext.extra_fields",
      extra: { tools, tool_choice: "required", n: 2, nvext: { extra_fields: ["stop_reason"] } },
    },
  ])("refuses $extra", ({ field, extra }) => {
    expect(refusalOf(() => chat(extra))).toMatchObject({ status: 400, field });
  });

  it.each([
    { guided_json: {}, response_format: json },
    { guided_regex: "a", response_format: { type: "text" } },
    { guided_choice: [], response_format: schema },
    { guided_choice: [], tools, tool_choice: named },
    { guided_json: {}, tools, tool_choice: "auto" },
    { tools, tool_choice: "auto", n: 2, nvext: { extra_fields: ["stop_reason"] } },
    { tools, tool_choice: "required", n: 2, nvext: { extra_fields: ["timing"] } },
  ])("takes %j", (extra) => {
    expect(chat(extra)).toMatchObject({ api: "chat" });
  });
});

describe("definitions of the tools of a required call", () => {
  const tool = (name: string, defs: string) =>
    `{"type":"function","function":{"name":"${name}","parameters":{"type":"object","$defs":${defs}}}}`;
  const required = (first: string, second: string, choice = '"required"') =>
    parseText(
      "/v1/chat/completions",
      `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[${tool("f", first)},${tool("g", second)}],"tool_choice":${choice}}`,
    );

  it.each([
    ['{"a":{"x":1,"y":[2]}}', '{"a":{"y":[2],"x":1}}'],
    ['{"a":{"x":0.0}}', '{"a":{"x":-0.0}}'],
    ['{"a":1}', '{"b":2}'],
  ])("agree: %s and %s", (first, second) => {
    expect(required(first, second)).toMatchObject({ api: "chat" });
  });

  it.each([
    ['{"a":{"x":1}}', '{"a":{"x":1.0}}'],
    ['{"a":true}', '{"a":"true"}'],
    ["{}", "[]"],
    ["{}", "null"],
  ])("are refused: %s and %s", (first, second) => {
    const field = "tools[1].function.parameters.$defs";
    expect(refusalOf(() => required(first, second))).toMatchObject({ status: 400, field });
  });

  it("do not matter where the call is not required", () => {
    expect(required("[]", '{"a":1}', '{"type":"function","function":{"name":"f"}}')).toMatchObject({ api: "chat" });
  });

  it.each([
    {
      path: "/v1/responses",
      body: { input: "hi", tool_choice: "required" },
      tool: (name: string, parameters: object) => ({ type: "function", name, parameters }),
    },
    {
      path: "/v1/messages",
      body: { max_tokens: 5, messages, tool_choice: { type: "any" } },
      tool: (name: string, parameters: object) => ({ name, input_schema: parameters }),
    },
  ])("are refused on $path, too", ({ path, body, tool: toolOf }) => {
    const given = [toolOf("f", { $defs: { a: 1 } }), toolOf("g", { $defs: { a: 2 } })];
    expect(refusalOf(() => parseBody(path, { model: "m", ...body, tools: given }))).toMatchObject({ status: 400 });
  });
});
