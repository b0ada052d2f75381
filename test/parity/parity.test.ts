import { describe, expect, it } from "vitest";
import { compareModel } from "./compare.ts";
import { availableModels, expectations } from "./expectations.ts";

/** Cases that need no subtleties of a template: all of them must pass. */
const required = ["chat/text", "completions/", "responses/text", "responses/instructions", "responses/parts"];

const expected = expectations();
const models = availableModels(expected.keys());

it("are recorded for five models", () => {
  expect(models).toHaveLength(5);
});

describe.each(models)("the Dynamo frontend's answers for $name", (model) => {
  const outcomes = compareModel(model, expected.get(model.name) ?? new Map());

  it("are ours for every plain conversation and completion", async () => {
    const cases = (await outcomes).filter((outcome) => required.some((prefix) => outcome.name.startsWith(prefix)));
    expect(cases).toHaveLength(111);
    expect(cases.filter(({ isPassed }) => !isPassed)).toEqual([]);
  });

  it("are ours for all 370 cases", async () => {
    expect(await outcomes).toHaveLength(370);
    expect((await outcomes).filter(({ isPassed }) => !isPassed)).toEqual([]);
  });
});
