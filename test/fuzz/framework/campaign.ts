import fc from "fast-check";
import type { FuzzProperty, FuzzTarget } from "./fuzz-target.ts";

/** A case that shows a claim to be wrong. */
export interface Fault {
  readonly seed: number;
  /** Leads to the case, with the seed. */
  readonly path: string;
  /** The smallest case that was found. */
  readonly shown: string;
  readonly error: unknown;
}

export interface CampaignResult {
  readonly cases: number;
  readonly fault: Fault | undefined;
}

/** Which cases. */
export type CampaignPlan = CountedPlan | TimedPlan | ReplayPlan;

interface CountedPlan {
  readonly seed: number;
  readonly cases: number;
}

interface TimedPlan {
  readonly seed: number;
  readonly seconds: number;
}

/** One case that was found before. */
interface ReplayPlan {
  readonly seed: number;
  readonly path: string;
}

/** Cases of one seed; then comes the next seed. */
const casesPerSeed = 250;
/** For the cases of a seed, and to make one smaller that was found at the end of the time. */
const secondsPerSeed = 120;

/** Runs cases of a target until one is found at which its claim does not hold. */
export async function runCampaign(target: FuzzTarget, plan: CampaignPlan): Promise<CampaignResult> {
  const { property, close } = await target.open();
  try {
    if ("cases" in plan) return await runSeed(property, { seed: plan.seed, numRuns: plan.cases });
    if ("path" in plan)
      return await runSeed(property, { seed: plan.seed, path: plan.path, numRuns: 1, endOnFailure: true });
    return await runForTime(property, plan);
  } finally {
    await close();
  }
}

async function runForTime(property: FuzzProperty<unknown>, { seed, seconds }: TimedPlan): Promise<CampaignResult> {
  const endMs = performance.now() + 1_000 * seconds;
  let cases = 0;
  for (let next = seed; performance.now() < endMs; next++) {
    const result = await runSeed(property, { seed: next, numRuns: casesPerSeed });
    cases += result.cases;
    if (result.fault !== undefined) return { cases, fault: result.fault };
  }
  return { cases, fault: undefined };
}

async function runSeed(
  property: FuzzProperty<unknown>,
  parameters: Parameters<typeof fc.check>[1] & { readonly seed: number },
): Promise<CampaignResult> {
  const checked = fc.asyncProperty(property.cases, async (each) => {
    await property.check(each);
  });
  const limit = { interruptAfterTimeLimit: 1_000 * secondsPerSeed };
  const {
    numRuns: cases,
    counterexample,
    counterexamplePath,
    errorInstance,
  } = await fc.check(checked, {
    ...limit,
    ...parameters,
  });
  if (counterexample === null) return { cases, fault: undefined };
  const [each] = counterexample as [unknown];
  const shown = property.show?.(each) ?? fc.stringify(each);
  return { cases, fault: { seed: parameters.seed, path: counterexamplePath ?? "", shown, error: errorInstance } };
}
