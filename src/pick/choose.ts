import type { Candidate } from "./candidate.ts";
import type { PickOptions } from "./options.ts";

/** What the cost needs to know of the request. */
export interface PickRequest {
  /** Prompt length, tokens. */
  readonly promptTokens: number;
  /** Tokens a block, >= 1. */
  readonly blockSize: number;
  /** `prefill` for a prefill pool, else `decode` (aggregated too); the formulas differ. */
  readonly phase: "prefill" | "decode";
  /** Whether prefill load counts; false for the decode half of a split request. */
  readonly tracksPrefill: boolean;
}

/** Outcome of a choice among candidates. */
export interface Choice {
  /** Index of the picked candidate. */
  readonly chosen: number;
  /** Cost in blocks by candidate index, lower is better; NaN = not eligible. */
  readonly costs: Float64Array;
}

/**
 * Picks a rank.
 * @param random uniform in [0,1)
 * @throws RoutingError no_endpoints (nothing eligible) or saturated (all that else would be are overloaded)
 */
export function choose(
  _candidates: readonly Candidate[],
  _request: PickRequest,
  _options: Required<PickOptions>,
  _random: () => number,
): Choice {
  throw new Error("todo");
}

/** Indexes of the next best candidates by cost, each on another worker than the ones before and the picked one. */
export function fallbackOrder(_candidates: readonly Candidate[], _choice: Choice, _limit: number): number[] {
  throw new Error("todo");
}
