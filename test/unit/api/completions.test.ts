import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { completionPrompt } from "../../../src/api/completions/prompt.ts";
import type { CompletionsParsed } from "../../../src/api/index.ts";
import { object, parseBody, refusalOf } from "./fixtures.ts";

const path = "/v1/completions";

function parse(body: object): CompletionsParsed {
  const parsed = parseBody(path, { model: "m", ...body });
  if (parsed.api !== "completions") throw new Error(parsed.api);
  return parsed;
}

/** Lines `<prompt as JSON> => <how the crates read it>`; whole bodies stand among them and are tested below. */
const readings = readFileSync(new URL("../../fixtures/dynamo/completions_prompt.txt", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => line.split(" => ") as [string, string])
  .filter(([json]) => !json.startsWith('{"'));

const kinds = {
  text: "String",
  texts: "StringArray",
  ids: "IntegerArray",
  "id-lists": "ArrayOfIntegerArray",
  embeds: "",
};

describe("a prompt as the crates read it", () => {
  it.each(readings)("%s is %s", (json, reading) => {
    const prompt = object({ prompt: 0 });
    expect(prompt.has("prompt")).toBe(true);
    const read = (): string => {
      const value = object({ prompt: JSON.parse(json) as unknown }).get("prompt") ?? null;
      const parsed = completionPrompt(json === "[1.0]" ? [object({ n: 0.5 }).get("n") ?? null] : value, "refuse");
      return kinds[parsed.kind];
    };
    if (reading.startsWith("ERR")) expect(read).toThrow();
    else expect(read()).toBe(reading.slice(0, reading.indexOf("(")));
  });
});

describe("completions", () => {
  it.each([
    ["x", { kind: "text", text: "x" }],
    [["x"], { kind: "texts", texts: ["x"] }],
    [[1, 2], { kind: "ids", ids: Uint32Array.of(1, 2) }],
    [[[1], [2, 3]], { kind: "id-lists", lists: [Uint32Array.of(1), Uint32Array.of(2, 3)] }],
  ])("take the prompt %j", (prompt, expected) => {
    expect(parse({ prompt }).prompt).toEqual(expected);
  });

  it("have no text when embeddings are given", () => {
    expect(parse({ prompt: "", prompt_embeds: "A".repeat(136) }).prompt).toEqual({ kind: "embeds", prompts: 1 });
    expect(parse({ prompt: [[1], [2]], prompt_embeds: "A".repeat(136) }).prompt).toEqual({
      kind: "embeds",
      prompts: 2,
    });
  });

  it.each([
    [{}, "prompt"],
    [{ prompt: null }, "prompt"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: [] }, "prompt"],
    [{ prompt: ["a", ""] }, "prompt[1]"],
    [{ prompt: [[]] }, "prompt[0]"],
    [{ prompt: ["a", 1] }, "prompt[1]"],
    [{ prompt: [-1] }, "prompt[0]"],
    [{ prompt: "x", prompt_embeds: "AAAA" }, "prompt_embeds"],
    [{ prompt: "x", prompt_embeds: "?" }, "prompt_embeds"],
    [{ prompt: "x", add_special_tokens: false }, "add_special_tokens"],
    [{ prompt: "x", chat_template_args: {} }, "chat_template_args"],
    [{ prompt: "x", add_generation_prompt: true }, "add_generation_prompt"],
    [{ prompt: "x", echo: 1 }, "echo"],
    [{ prompt: "x", logprobs: 6 }, "logprobs"],
    [{ prompt: "x", best_of: 1, n: 2 }, "best_of"],
    [{ prompt: ["a", "b"], n: 65 }, "prompt"],
    [{ prompt: "x", suffix: "é".repeat(5_001) }, "suffix"],
    [{ prompt: "x", model: " " }, "model"],
  ])("refuse %j", (body, field) => {
    expect(refusalOf(() => parse(body))).toMatchObject({ status: 400, field });
  });
});
