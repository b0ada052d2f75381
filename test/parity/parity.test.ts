import { describe, expect, it } from "vitest";
import { ensureModelFolder, testModels } from "../../scripts/models.ts";
import { compareModel } from "./compare.ts";
import { expectations } from "./expectations.ts";

/** Cases that need no subtleties of a template: all of them must pass. */
const required = ["chat/text", "completions/", "responses/text", "responses/instructions", "responses/parts"];

/** How many of the 370 cases pass. The others are Messages bodies, and image parts, whose tokens are not claimed. */
const floors = { qwen3: 370, llama3_1: 370 };

describe.each(testModels)("the Dynamo frontend's answers for %s", (name) => {
  const outcomes = compareModel({ name, folder: ensureModelFolder(name) }, expectations().get(name) ?? new Map());

  it("are ours for every plain conversation and completion", async () => {
    const cases = (await outcomes).filter((outcome) => required.some((prefix) => outcome.name.startsWith(prefix)));
    expect(cases).toHaveLength(111);
    expect(cases.filter(({ isPassed }) => !isPassed)).toEqual([]);
  });

  it("are ours for no fewer cases than they have been", async () => {
    expect((await outcomes).filter(({ isPassed }) => isPassed).length).toBeGreaterThanOrEqual(floors[name]);
  });

  it("never differ where we claim to know the tokens", async () => {
    const wrong = (await outcomes).filter(({ difference }) => difference === "other token ids");
    expect(wrong).toEqual([]);
  });
});
