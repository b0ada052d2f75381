import { expect } from "vitest";
import { runCampaign } from "./campaign.ts";
import { faultReport } from "./fault-report.ts";
import type { FuzzTarget } from "./fuzz-target.ts";

/** Always the same cases, so that a failure is one of the change. */
const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_130);

/** Runs a target's cases of CI as a test. */
export async function checkTarget(target: FuzzTarget): Promise<void> {
  const { cases, fault } = await runCampaign(target, { seed, cases: target.cases });
  if (fault !== undefined) expect.fail(faultReport(target.name, fault));
  expect(cases).toBe(target.cases);
}
