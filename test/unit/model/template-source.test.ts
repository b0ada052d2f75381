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
    expect(templateSources(modelFiles(undefined), parsed, "vllm")).toEqual(sources);
  });

  // As the Dynamo 1.6.1 frontend takes them.
  it.each([
    { name: "none", template: "null", sources: { default: undefined, toolUse: undefined } },
    { name: "no list", template: '"A"', sources: { default: "A", toolUse: "A" } },
    {
      name: "a list of maps",
      template: '[{"default": "A"}, {"tool_use": "B"}]',
      sources: { default: "A", toolUse: "B", refusesOthers: true },
    },
    {
      name: "a list of maps with one",
      template: '[{"default": "A"}]',
      sources: { default: "A", toolUse: undefined, refusesOthers: true },
    },
    {
      name: "a list in Hugging Face's form, which it does not understand",
      template: '[{"name": "default", "template": "A"}, {"name": "tool_use", "template": "B"}]',
      sources: { default: undefined, toolUse: undefined, refusesOthers: true },
    },
  ])("of a Dynamo frontend: $name", ({ template, sources }) => {
    const parsed = {
      tokenizerConfig: object(`{"chat_template": ${template}}`),
      config: object("{}"),
      chatTemplate: object("{}"),
    };
    expect(templateSources(modelFiles(undefined), parsed, "dynamo")).toEqual(sources);
  });

  it("prefers chat_template.jinja to chat_template.json to tokenizer_config.json", () => {
    const parsed = {
      tokenizerConfig: object('{"chat_template": "C"}'),
      config: object("{}"),
      chatTemplate: object('{"chat_template": "B"}'),
    };
    expect(templateSources(modelFiles("A"), parsed, "dynamo").default).toBe("A");
    expect(templateSources(modelFiles(undefined), parsed, "dynamo").default).toBe("B");
  });

  it.each([
    { list: '[{"name": "default", "template": "A"}, {"name": "tool_use", "template": "B"}]', first: "A" },
    { list: '[{"name": "tool_use", "template": "B"}, {"name": "default", "template": "A"}]', first: "B" },
  ])("takes the first of several for both uses at SGLang: $first", ({ list, first }) => {
    const parsed = {
      tokenizerConfig: object(`{"chat_template": ${list}}`),
      config: object("{}"),
      chatTemplate: object("{}"),
    };
    expect(templateSources(modelFiles(undefined), parsed, "sglang")).toEqual({ default: first, toolUse: first });
  });

  it.each([
    { tokenizer: '{"chat_template": "B"}', vllm: ["B", "B"], sglang: ["B", "B"] },
    { tokenizer: "{}", vllm: ["B", undefined], sglang: ["B", "B"] },
    { tokenizer: '{"chat_template": "C"}', vllm: [undefined, "C"], sglang: [undefined, undefined] },
  ])("knows which engine asks the processor for chat_template.json beside $tokenizer", ({ tokenizer, ...expected }) => {
    const parsed = {
      tokenizerConfig: object(tokenizer),
      config: object("{}"),
      chatTemplate: object('{"chat_template": "B"}'),
    };
    for (const engine of ["vllm", "sglang"] as const) {
      const [plain, toolUse] = expected[engine];
      expect(templateSources(modelFiles(undefined), parsed, engine)).toEqual({ default: plain, toolUse });
    }
  });

  it("does not guess where a folder holds further templates", () => {
    const parsed = { tokenizerConfig: object("{}"), config: object("{}"), chatTemplate: object("{}") };
    const files = modelFiles("A", { otherNames: ["additional_chat_templates/tool_use.jinja"] });
    expect(templateSources(files, parsed, "vllm")).toEqual({ default: "A", toolUse: undefined });
    expect(templateSources(files, parsed, "sglang").default).toBeUndefined();
    expect(templateSources(files, parsed, "dynamo").toolUse).toBe("A");
  });
});
