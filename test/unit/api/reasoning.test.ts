import { describe, expect, it } from "vitest";
import { normalizeReasoning } from "../../../src/api/reasoning.ts";
import { stringifyJson } from "../../../src/json/index.ts";
import { object } from "./fixtures.ts";

/** Rules of dynamo-llm 1.6.1, chat_completions.rs normalize_reasoning_template_args, and the vectors of its unit tests. */
const on = { thinking: true, enable_thinking: true, thinking_mode: "enabled" };
const off = { thinking: false, enable_thinking: false, thinking_mode: "disabled" };

describe("normalizeReasoning", () => {
  it.each<[string, { args?: object; thinking?: unknown; effort?: string }, object | undefined]>([
    ["nothing given", {}, undefined],
    ["other arguments are left alone", { args: { a: 1 } }, { a: 1 }],
    ["an effort switches thinking on", { effort: "high" }, { ...on, reasoning_effort: "high" }],
    ["the effort none switches it off", { effort: "none" }, { ...off, reasoning_effort: "none" }],
    ["root thinking true", { thinking: true }, on],
    ["root thinking disabled", { thinking: { type: "disabled" } }, off],
    ["root adaptive clears the toggles", { thinking: { type: "adaptive" }, args: on }, { thinking_mode: "adaptive" }],
    [
      "root adaptive with an effort",
      { thinking: { type: "adaptive" }, effort: "high" },
      { thinking_mode: "adaptive", reasoning_effort: "high" },
    ],
    ["null thinking is absent", { thinking: null }, undefined],
    [
      "a boolean beats the effort",
      { args: { enable_thinking: false }, effort: "high" },
      { ...off, reasoning_effort: "high" },
    ],
    [
      "thinking beats enable_thinking",
      { args: { thinking: true, enable_thinking: false }, effort: "none" },
      { ...on, reasoning_effort: "none" },
    ],
    [
      "a mode beats the effort, whatever its case",
      { args: { thinking_mode: "Enabled" }, effort: "none" },
      { ...on, reasoning_effort: "none" },
    ],
    [
      "an unknown mode decides nothing",
      { args: { thinking_mode: "auto" }, effort: "none" },
      { ...off, reasoning_effort: "none" },
    ],
    ["a boolean beats a mode", { args: { thinking: false, thinking_mode: "adaptive" } }, off],
    [
      "a nested effort counts when the root has none",
      { args: { reasoning_effort: "none" } },
      { ...off, reasoning_effort: "none" },
    ],
    ["a nested effort that is no word switches nothing", { args: { reasoning_effort: 3 } }, { reasoning_effort: 3 }],
    ["a nested null effort is absent", { args: { reasoning_effort: null } }, { reasoning_effort: null }],
  ])("%s", (_, { args, thinking, effort }, expected) => {
    const given = object({ args, thinking });
    const nested = given.get("args");
    const result = normalizeReasoning(args === undefined ? undefined : object(args), given.get("thinking"), effort);
    expect(nested === undefined).toBe(args === undefined);
    expect(result === undefined ? undefined : JSON.parse(stringifyJson(result))).toEqual(expected);
  });

  it.each(["enabled", 1, {}, { type: "auto" }, { type: true }, []])("refuses thinking %j", (thinking) => {
    expect(() => normalizeReasoning(undefined, object({ thinking }).get("thinking"), undefined)).toThrow();
  });
});
