import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { templateSources } from "../../../src/model/template-source.ts";
import { modelFiles } from "./model-folder.ts";

function object(text: string): JsonObject {
  const value = parseJson(Buffer.from(text));
  if (!(value instanceof JsonObject)) throw new TypeError("an object expected");
  return value;
}

describe("templateSources", () => {
  it.each([
    { name: "none", config: "{}", sources: { default: undefined, toolUse: undefined } },
    { name: "one text for both uses", config: '{"chat_template": "A"}', sources: { default: "A", toolUse: "A" } },
    {
      name: "a list of named templates",
      config: '{"chat_template": [{"name": "default", "template": "A"}, {"name": "tool_use", "template": "B"}]}',
      sources: { default: "A", toolUse: "B" },
    },
    {
      name: "a list of maps",
      config: '{"chat_template": [{"default": "A"}, {"tool_use": "B"}]}',
      sources: { default: "A", toolUse: "B" },
    },
    {
      name: "a list without one for tools",
      config: '{"chat_template": [{"name": "default", "template": "A"}, {"name": "rag", "template": "C"}]}',
      sources: { default: "A", toolUse: "A" },
    },
  ])("$name", ({ config, sources }) => {
    const parsed = { tokenizerConfig: object(config), config: object("{}"), chatTemplate: object("{}") };
    expect(templateSources(modelFiles(undefined), parsed)).toEqual(sources);
  });

  it("prefers chat_template.jinja to chat_template.json to tokenizer_config.json", () => {
    const parsed = {
      tokenizerConfig: object('{"chat_template": "C"}'),
      config: object("{}"),
      chatTemplate: object('{"chat_template": "B"}'),
    };
    expect(templateSources(modelFiles("A"), parsed).default).toBe("A");
    expect(templateSources(modelFiles(undefined), parsed).default).toBe("B");
  });
});
