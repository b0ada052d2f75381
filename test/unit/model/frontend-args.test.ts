import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../src/api/index.ts";
import { JsonObject, parseJson, stringifyJson } from "../../../src/json/index.ts";
import { frontendArgs } from "../../../src/model/frontend-args.ts";
import type { FrontendSettings } from "../../../src/model/index.ts";
import { withArgumentObjects } from "../../../src/model/tool-arguments.ts";

function object(text: string): JsonObject {
  const parsed = parseJson(Buffer.from(text));
  if (!(parsed instanceof JsonObject)) throw new TypeError("an object expected");
  return parsed;
}

function chat(args: string | undefined, more: Partial<ChatRequest> = {}): ChatRequest {
  const none = { tools: undefined, toolChoice: undefined, responseFormat: undefined, hasMedia: false };
  const ends = { addGenerationPrompt: true, continueFinalMessage: false, addSpecialTokens: false };
  return { ...none, ...ends, messages: [], templateArgs: args === undefined ? undefined : object(args), ...more };
}

const named = object('{"type": "function", "function": {"name": "f"}}');
const on = { thinking: true, enable_thinking: true };
const off = { thinking: false, enable_thinking: false };

// As the Dynamo 1.6.1 frontend did in `npm run parity:templates -- --only settings-`.
describe("template arguments by what workers tell their frontend", () => {
  it.each<{ name: string; settings: FrontendSettings; args?: string; more?: Partial<ChatRequest>; expected: unknown }>([
    { name: "nothing is told", settings: {}, expected: undefined },
    {
      name: "the model thinks by default",
      settings: { defaultThinkingMode: "enabled" },
      expected: { ...on, thinking_mode: "enabled" },
    },
    {
      name: "the client decides, be it with null",
      settings: { defaultThinkingMode: "enabled" },
      args: '{"thinking": null}',
      expected: { thinking: null },
    },
    { name: "Kimi K2.5", settings: { reasoningParser: "kimi_k25" }, expected: on },
    { name: "Kimi K2", settings: { reasoningParser: "kimi_k2" }, expected: undefined },
    {
      name: "the default goes before the parser's",
      settings: { reasoningParser: "kimi-k3", defaultThinkingMode: "disabled" },
      expected: { ...off, thinking_mode: "disabled" },
    },
    {
      name: "Kimi K3 with a named tool",
      settings: { reasoningParser: "kimi_k3", toolCallParser: "kimi-k3" },
      more: { toolChoice: named },
      expected: off,
    },
    {
      name: "Kimi K3 with a tool that it may choose",
      settings: { reasoningParser: "kimi_k3", toolCallParser: "kimi-k3" },
      more: { toolChoice: "required" },
      expected: on,
    },
    {
      name: "MiniMax M3, a tool must be called",
      settings: { toolCallParser: "minimax_m3_nom" },
      more: { toolChoice: "required" },
      expected: { ...off, thinking_mode: "disabled" },
    },
    {
      name: "MiniMax M3, JSON is asked for",
      settings: { reasoningParser: "minimax-m3" },
      more: { responseFormat: object('{"type": "json_object"}') },
      expected: { ...off, thinking_mode: "disabled" },
    },
    {
      name: "MiniMax M3, JSON is asked for of a client that decides",
      settings: { reasoningParser: "minimax-m3" },
      args: '{"enable_thinking": "yes"}',
      more: { responseFormat: object('{"type": "json_object"}') },
      expected: { ...on, thinking_mode: "enabled" },
    },
    {
      name: "MiniMax M3 may choose",
      settings: { reasoningParser: "minimax_m3" },
      args: '{"thinking": 0, "thinking_mode": "Adaptive"}',
      expected: { ...off, thinking_mode: "Adaptive" },
    },
  ])("are right: $name", ({ settings, args, more, expected }) => {
    const given = frontendArgs(chat(args, more), settings);
    expect(given === undefined ? undefined : JSON.parse(stringifyJson(given))).toEqual(expected);
  });
});

describe("arguments of earlier calls as objects", () => {
  const message = (...texts: readonly string[]) =>
    object(JSON.stringify({ role: "assistant", tool_calls: texts.map((text) => ({ function: { arguments: text } })) }));
  const shown = (messages: readonly JsonObject[]) =>
    withArgumentObjects(messages).flatMap((one) =>
      JSON.parse(stringifyJson(one)).tool_calls.map(
        (call: { function: { arguments: unknown } }) => call.function.arguments,
      ),
    );

  it.each([
    { name: "an object", text: '{"a": 1, "b": [2]}', expected: { a: 1, b: [2] } },
    { name: "nothing", text: "", expected: {} },
    { name: "no object", text: "[1]", expected: {} },
    { name: "a number that is spelled otherwise", text: '{"a":1e5,"b":1.50}', expected: { a: "1e5", b: "1.50" } },
    { name: "a number behind a space", text: '{"a" :1e5}', expected: { a: 100_000 } },
    {
      name: "a name that stands elsewhere before",
      text: '{"x":{"a":"q"},"a":2}',
      expected: { x: { a: "q" }, a: '"q"' },
    },
    {
      name: "a bracket before",
      text: '{"x":{"a":{"b":"}"}},"a":2}',
      expected: { x: { a: { b: "}" } }, a: '{"b":"}"}' },
    },
  ])("are right: $name", ({ text, expected }) => {
    expect(shown([message(text)])).toEqual([expected]);
  });

  it("stay as they are from the first that are no JSON on", () => {
    expect(shown([message("{}", "{"), message('{"a":1}')])).toEqual([{}, "{", '{"a":1}']);
  });
});
