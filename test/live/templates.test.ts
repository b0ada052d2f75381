import { describe, expect, it } from "vitest";
import { compareTemplates } from "./templates/compare-templates.ts";
import { templateNames } from "./templates/template-models.ts";

/** `npm run parity:templates -- --seed N` renders the same bodies again. Another with each run would let a build fail by chance. */
const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_129);

async function differingOf(names: readonly string[]): Promise<readonly object[]> {
  const differing: object[] = [];
  for await (const outcome of compareTemplates([...names], { seed, first: 0, bodies: 40, spoilt: 0.1, details: 1 }))
    if (outcome.differences > 0) differing.push(outcome);
  return differing;
}

describe(`composed bodies of seed ${seed} in the Dynamo frontend`, () => {
  it("have our tokens or our refusals for every real template, and for every family without one", async () => {
    const names = templateNames();
    expect(names.length).toBeGreaterThan(80);
    expect(await differingOf(names)).toEqual([]);
  });
});
