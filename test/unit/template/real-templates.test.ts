import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, type JsonValue } from "../../../src/json/index.ts";
import { type ChatTemplate, compileTemplate } from "../../../src/template/index.ts";
import { fixtureLines, realTemplates, templateCases } from "../../support/templates/fixtures.ts";

interface Reference {
  readonly template: string;
  readonly case: string;
  /** Undefined when Python raises. */
  readonly ok?: string;
}

const references = fixtureLines("huggingface.jsonl.gz").map((line) => JSON.parse(line) as Reference);
const cases = templateCases();
const now = () => new Date(2026, 10, 29, 12);

function variables(name: string): JsonObject {
  const given = cases.get(name);
  if (!(given instanceof JsonObject)) throw new TypeError(`no case ${name}`);
  return JsonObject.from([
    ["bos_token", "<s>"],
    ["eos_token", "</s>"],
    ["unk_token", "<unk>"],
    ["pad_token", "<pad>"],
    ["add_generation_prompt", true],
    ["tools", null],
    ["documents", null],
    ...[...given.entries()].filter(([key]) => key !== "continue_final_message"),
  ] satisfies (readonly [string, JsonValue])[]);
}

/** The prompt; undefined when the template refuses. */
function render(template: ChatTemplate, context: JsonObject): string | undefined {
  try {
    return template.render(context);
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    throw error;
  }
}

describe("real templates give what transformers gives", () => {
  it.each([...realTemplates()])("%s", (name, source) => {
    const template = compileTemplate(source, { now });
    const own = references.filter((reference) => reference.template === name);
    expect(own).toHaveLength(23);
    for (const reference of own) {
      expect(render(template, variables(reference.case)), reference.case).toBe(reference.ok);
    }
  });
});
