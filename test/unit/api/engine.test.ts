import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../src/json/index.ts";
import { engineOptions as optionsOf, parseBody, refusalOf, sglang, vllm } from "./fixtures.ts";

const engineOptions = optionsOf(vllm);
const chatPath = "/v1/chat/completions";
const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };

describe("the engine dialect takes what only the frontend lacks", () => {
  it.each([
    ["unknown parameters", chatPath, { ...chat, structured_outputs: {}, top_k: "any" }, "chat"],
    ["no model", chatPath, { messages: chat.messages }, "chat"],
    ["background", "/v1/responses", { model: "m", input: "x", background: true, max_tool_calls: 3 }, "responses"],
    ["an unknown role", chatPath, { ...chat, messages: [{ role: "robot", content: "x" }] }, "chat"],
  ])("%s", (_, path, body, api) => {
    expect(parseBody(path, body, engineOptions)).toMatchObject({ api });
  });

  it("add_special_tokens of a completion", () => {
    expect(
      parseBody("/v1/completions", { model: "m", prompt: "x", add_special_tokens: false }, engineOptions),
    ).toMatchObject({
      addSpecialTokens: false,
    });
  });

  it.each([
    {
      engine: vllm,
      tools: '[{"type":"function","function":{"name":"f","description":null,"parameters":{},"strict":true}}]',
    },
    {
      engine: sglang,
      tools:
        '[{"type":"function","function":{"strict":true,"parameters":{},"name":"f","description":null},"defer_loading":null}]',
    },
  ])("tools as $engine.name dumps them, and members that it gives to the template", ({ engine, tools }) => {
    const body = {
      ...chat,
      tools: [{ type: "function", y: 1, function: { strict: true, parameters: {}, name: "f", x: 1 } }],
      reasoning_effort: "low",
      chat_template_kwargs: { a: 1 },
    };
    const parsed = parseBody(chatPath, body, optionsOf(engine));
    if (parsed.api !== "chat") throw new Error(parsed.api);
    expect(stringifyJson(parsed.chat.tools ?? null)).toBe(tools);
    expect(Object.fromEntries(parsed.chat.templateArgs?.entries() ?? [])).toMatchObject({ reasoning_effort: "low" });
  });

  it("documents, for vLLM's template alone", () => {
    const body = { ...chat, documents: [{ text: "t" }] };
    const argsOf = (engine: typeof vllm | typeof sglang) => {
      const parsed = parseBody(chatPath, body, optionsOf(engine));
      if (parsed.api !== "chat") throw new Error(parsed.api);
      return stringifyJson(parsed.chat.templateArgs ?? null);
    };
    expect(argsOf(vllm)).toBe('{"documents":[{"text":"t"}]}');
    expect(argsOf(sglang)).toBe("null");
  });
});

describe("the engine dialect routes by load what it cannot tokenize", () => {
  it.each([
    [chatPath, { ...chat, messages: [{ role: "user", content: null }] }, "messages"],
    [chatPath, { ...chat, tools: [] }, "tools"],
    [chatPath, { ...chat, chat_template: "x" }, "chat_template"],
    [chatPath, { ...chat, truncate_prompt_tokens: 5 }, "truncate_prompt_tokens"],
    [chatPath, { ...chat, add_special_tokens: "maybe" }, "add_special_tokens"],
    ["/v1/completions", { model: "m", prompt: "" }, "prompt"],
    ["/v1/completions", { model: "m", prompt: [[1], []] }, "prompt"],
    ["/v1/completions", { model: "m", prompt_embeds: "AAAA" }, "prompt_embeds"],
    ["/v1/completions", { model: "m", prompt: "x", suffix: "y" }, "suffix"],
    ["/v1/responses", { model: "m", input: "x", previous_response_id: "r" }, "previous_response_id"],
    ["/v1/responses", { model: "m", input: "x", prompt: { id: "p" } }, "prompt"],
    ["/v1/responses", { model: "m", input: "x", tools: [{ type: "function" }] }, "name"],
  ])("%s %j", (path, body, field) => {
    const parsed = parseBody(path, body, engineOptions);
    expect(parsed).toMatchObject({ api: "promptless", model: "m" });
    expect(parsed.api === "promptless" && parsed.reason).toContain(`\`${field}\``);
  });

  const message = { model: "m", messages: [{ role: "user", content: "hi" }] };
  it.each([
    [vllm, message, "`max_tokens` is missing"],
    [sglang, message, "`max_tokens` is missing"],
    [vllm, { ...message, max_tokens: "8" }, "`max_tokens` has a form that is not known here"],
    [vllm, { ...message, max_tokens: 8, messages: [{ role: "user" }] }, "`content` is missing"],
  ])("and tells what is missing from what is not known", (engine, body, reason) => {
    const parsed = parseBody("/v1/messages", body, optionsOf(engine));
    expect(parsed).toMatchObject({ api: "promptless", reason });
  });
});

describe("the engine dialect refuses a wrong shape of the prompt itself", () => {
  it.each([
    [chatPath, { model: "m" }, "messages"],
    [chatPath, { model: "m", messages: "x" }, "messages"],
    [chatPath, { model: "m", messages: ["x"] }, "messages[0]"],
    [chatPath, { model: "m", messages: [{ content: "x" }] }, "messages[0]"],
    ["/v1/completions", { model: "m", prompt: 3 }, "prompt"],
    ["/v1/completions", { model: "m" }, "prompt"],
    ["/v1/responses", { model: "m", messages: [] }, "input"],
  ])("%s %j", (path, body, field) => {
    expect(refusalOf(() => parseBody(path, body, engineOptions))).toMatchObject({ status: 400, field });
  });
});
