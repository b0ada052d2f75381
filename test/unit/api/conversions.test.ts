import { describe, expect, it } from "vitest";
import { type ChatDraft, draftTemplateArgs } from "../../../src/api/chat/chat-draft.ts";
import { chatFields } from "../../../src/api/chat/chat-fields.ts";
import { FieldError, toJson } from "../../../src/api/fields/index.ts";
import { convertResponses } from "../../../src/api/responses/convert-responses.ts";
import { responsesFields } from "../../../src/api/responses/responses-fields.ts";
import { JsonObject, type JsonValue, stringifyJson } from "../../../src/json/index.ts";
import { object, readLines } from "./fixtures.ts";

interface Conversion {
  readonly name: string;
  readonly api: "chat" | "responses";
  readonly body: object;
  readonly chat?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

const conversions = readLines<Conversion>("dynamo/conversions.jsonl");
const converted = conversions.filter((entry) => entry.chat !== undefined);
const refused = conversions.filter((entry) => entry.error !== undefined);

function draftOf({ api, body }: Conversion): ChatDraft {
  const root = object(body);
  if (api === "responses") return convertResponses(responsesFields(root, "refuse"));
  const request = chatFields(root, "refuse");
  return {
    model: request.model,
    messages: request.messages,
    tools: request.tools,
    toolChoice: request.tool_choice,
    templateArgs: request.chat_template_args,
    thinking: request.thinking,
    reasoningEffort: request.reasoning_effort,
    addGenerationPrompt: request.add_generation_prompt,
    continueFinalMessage: request.continue_final_message,
  };
}

/** JSON text, so that the order of members counts. */
function text(value: unknown): string | undefined {
  return value === undefined ? undefined : stringifyJson(toJson(value));
}

function plain(value: JsonValue | undefined): unknown {
  return value === undefined ? undefined : JSON.parse(stringifyJson(value));
}

describe("a request in the form of chat", () => {
  it.each(converted.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
    const draft = draftOf(entry);
    const chat = entry.chat ?? {};
    expect(text(draft.messages)).toBe(JSON.stringify(chat["messages"]));
    expect(text(draft.tools)).toBe(JSON.stringify(chat["tools"]));
    expect(text(draft.toolChoice)).toBe(JSON.stringify(chat["tool_choice"]));
    expect(draft.model).toBe(chat["model"]);
    expect(draft.addGenerationPrompt).toBe(chat["add_generation_prompt"]);
    expect(plain(draftTemplateArgs(draft))).toEqual(chat["chat_template_args"]);
  });
});

describe("a request that has no form in chat", () => {
  it.each(refused.map((entry) => [entry.name, entry] as const))("%s", (_, entry) => {
    expect(() => draftTemplateArgs(draftOf(entry))).toThrow(FieldError);
  });
});

it("writes members in the order of the API, role first", () => {
  const [message] = draftOf({
    name: "",
    api: "chat",
    body: { model: "m", messages: [{ name: "n", x: 1, content: "c", role: "user" }] },
  }).messages;
  expect(text(message)).toBe('{"role":"user","content":"c","name":"n"}');
  expect(message).not.toBeInstanceOf(JsonObject);
});
