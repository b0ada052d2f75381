import { describe, expect, it } from "vitest";
import { runCampaign } from "./framework/campaign.ts";
import { faultReport } from "./framework/fault-report.ts";
import { fuzzTargets } from "./targets/index.ts";

/** Always the same cases, so that a failure is one of the change. */
const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_130);

describe("fuzz", () => {
  it.each(fuzzTargets)("$name: $claim", async (target) => {
    const { cases, fault } = await runCampaign(target, { seed, cases: target.cases });
    if (fault !== undefined) expect.fail(faultReport(target.name, fault));
    expect(cases).toBe(target.cases);
  });
});
