import { describe, expect, it } from "vitest";
import { stringifyJson } from "../../../src/json/index.ts";
import { engineOptions, parseBody, refusalOf } from "./fixtures.ts";

const chatPath = "/v1/chat/completions";
const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };

describe("the engine dialect takes what only the frontend lacks", () => {
  it.each([
    ["unknown parameters", chatPath, { ...chat, structured_outputs: {}, top_k: "any" }, "chat"],
    ["an empty list of tools", chatPath, { ...chat, tools: [] }, "chat"],
    ["no model", chatPath, { messages: chat.messages }, "chat"],
    ["background", "/v1/responses", { model: "m", input: "x", background: true, max_tool_calls: 3 }, "responses"],
    ["an empty prompt", "/v1/completions", { model: "m", prompt: "" }, "completions"],
    ["embeddings without prompt", "/v1/completions", { model: "m", prompt_embeds: "AAAA" }, "completions"],
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

  it("tools as the client wrote them, and members that engines give to the template", () => {
    const tools = [{ type: "function", function: { strict: true, name: "f", x: 1 } }];
    const body = {
      ...chat,
      tools,
      reasoning_effort: "low",
      documents: [{ text: "t" }],
      chat_template_kwargs: { a: 1 },
    };
    const parsed = parseBody(chatPath, body, engineOptions);
    if (parsed.api !== "chat") throw new Error(parsed.api);
    expect(parsed.chat.tools?.map(stringifyJson)).toEqual(tools.map((tool) => JSON.stringify(tool)));
    expect(stringifyJson(parsed.chat.templateArgs ?? null)).toBe(
      '{"a":1,"documents":[{"text":"t"}],"reasoning_effort":"low"}',
    );
  });
});

describe("the engine dialect routes by load what it cannot tokenize", () => {
  it.each([
    [chatPath, { ...chat, messages: [{ role: "robot", content: "x" }] }, "messages[0].role"],
    [
      chatPath,
      { ...chat, messages: [{ role: "user", content: [{ type: "file", file: {} }] }] },
      "messages[0].content[0].type",
    ],
    [chatPath, { ...chat, chat_template: "x" }, "chat_template"],
    [chatPath, { ...chat, truncate_prompt_tokens: 5 }, "truncate_prompt_tokens"],
    [chatPath, { ...chat, add_special_tokens: true }, "add_special_tokens"],
    ["/v1/responses", { model: "m", input: "x", previous_response_id: "r" }, "previous_response_id"],
    ["/v1/responses", { model: "m", input: "x", prompt: { id: "p" } }, "prompt"],
    ["/v1/responses", { model: "m", input: "x", tools: [{ type: "web_search" }] }, "tools[0]"],
    [
      "/v1/responses",
      { model: "m", input: [{ role: "user", content: [{ type: "input_image", file_id: "f" }] }] },
      "input[0].content[0].file_id",
    ],
    ["/v1/responses", { model: "m", input: [{ type: "banana" }] }, "input[0].type"],
  ])("%s %j", (path, body, field) => {
    const parsed = parseBody(path, body, engineOptions);
    expect(parsed).toMatchObject({ api: "promptless", model: "m" });
    expect(parsed.api === "promptless" && parsed.reason).toContain(`\`${field}\``);
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
