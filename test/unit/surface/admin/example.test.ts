import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ConsoleState, ExplainedPick } from "../../../../src/surface/admin/index.ts";

function example(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/admin/${name}`, import.meta.url), "utf8"));
}

describe("the example of the console's state", () => {
  const state = example("state.json") as ConsoleState;

  it("has one value a point in every list of its history", () => {
    const { atMs, picks, refusals, promptBlocks, heldBlocks, picksPerSecond, requests } = state.history;
    const lengths = [picks, refusals, promptBlocks, heldBlocks, picksPerSecond, requests].map(({ length }) => length);
    expect(new Set(lengths)).toEqual(new Set([atMs.length]));
    expect(atMs.every((at) => at % state.history.intervalMs === 0)).toBe(true);
  });

  it("has the newest decision first, which is the one that is explained", () => {
    const { explanation, ...summary } = example("pick.json") as ExplainedPick;
    expect(state.picks[0]).toEqual(summary);
    expect(explanation.answering.candidates[explanation.answering.chosen ?? -1]?.workerName).toBe(
      summary.picked?.workerName,
    );
  });
});
