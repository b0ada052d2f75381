import { overridePickOptions, type PickOptions } from "../pick/index.ts";
import type { RouteOverrides } from "./placeable.ts";
import type { PhaseRules } from "./selection.ts";

/** The rules of a request that one worker serves, and of the two halves of one that is split. */
export interface PhaseRuleSet {
  readonly aggregated: PhaseRules;
  readonly prefill: PhaseRules;
  readonly decode: PhaseRules;
}

/** @throws RangeError for a weight out of its range */
export function phaseRuleSet(options: Required<PickOptions>, overrides: RouteOverrides): PhaseRuleSet {
  const { tracksPrefill = true, assumesKvReuse = true, ...weights } = overrides;
  const base = { tracksPrefill, assumesKvReuse, options: overridePickOptions(options, weights) };
  return {
    aggregated: { ...base, phase: "decode" },
    prefill: { ...base, phase: "prefill" },
    // dynamo@1.6.1: the decode half of a split request neither counts overlap nor shares blocks nor carries prefill load.
    decode: {
      phase: "decode",
      tracksPrefill: false,
      assumesKvReuse: false,
      options: { ...base.options, overlapScoreCredit: 0 },
    },
  };
}
