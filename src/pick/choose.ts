import { RoutingError } from "../errors/index.ts";
import type { Favourite } from "./affinity/favourite.ts";
import type { Candidate } from "./candidate.ts";
import type { PickRequest } from "./cost.ts";
import { costTerms, leastPrefillTokens } from "./cost.ts";
import type { PickOptions } from "./options.ts";
import { softmaxSample } from "./softmax.ts";

/** Outcome of a choice among candidates. */
export interface Choice {
  /** Index of the picked candidate. */
  readonly chosen: number;
  /** Cost in blocks by candidate index, lower is better; NaN = not eligible. */
  readonly costs: Float64Array;
}

/**
 * Picks a rank: the favourite while it is cheap enough, else by cost. O(candidates).
 * @param candidates ascending worker id and rank where samples must match another implementation's
 * @param random uniform in [0,1)
 * @throws RoutingError no_endpoints when nothing is eligible, saturated when only overload excludes what would be
 */
export function choose(
  candidates: readonly Candidate[],
  request: PickRequest,
  options: Required<PickOptions>,
  random: () => number,
  favourite?: Favourite,
): Choice {
  return chooseByCost(candidates, costsOf(candidates, request, options), options, random, favourite);
}

/** The cost of each candidate, in blocks; NaN = not eligible. */
export function costsOf(
  candidates: readonly Candidate[],
  request: PickRequest,
  options: Required<PickOptions>,
): Float64Array {
  const leastPrefill = options.overlapScoreCreditDecay > 0 ? leastPrefillTokens(candidates) : 0;
  const costs = new Float64Array(candidates.length);
  for (const [i, candidate] of candidates.entries()) {
    costs[i] =
      candidate.exclusion === undefined ? costTerms(candidate, request, options, leastPrefill).cost : Number.NaN;
  }
  return costs;
}

/**
 * Picks the cheapest, or by temperature one of the cheap.
 * @param costs by candidate index; NaN = may not be picked
 * @throws RoutingError as `choose`
 */
export function chooseByCost(
  candidates: readonly Candidate[],
  costs: Float64Array,
  options: Required<PickOptions>,
  random: () => number,
  favourite?: Favourite,
): Choice {
  assertEligible(candidates, costs);
  if (favourite !== undefined && isCheapEnough(costs, favourite)) return { chosen: favourite.index, costs };
  const chosen =
    options.temperature > 0
      ? softmaxSample(costs, options.temperature, random())
      : cheapest(candidates, costs, options.tieBreak, random);
  return { chosen, costs };
}

function isCheapEnough(costs: Float64Array, { index, ratio, blocks }: Favourite): boolean {
  let least = Number.POSITIVE_INFINITY;
  for (const cost of costs) if (cost < least) least = cost;
  // False for NaN: a favourite that may not be picked is none.
  return (costs[index] ?? Number.NaN) <= (1 + ratio) * least + blocks;
}

/** The next best candidates by cost, each on another worker than those before it and the picked one; at most `limit` indexes. */
export function fallbackOrder(candidates: readonly Candidate[], choice: Choice, limit: number): number[] {
  const order: number[] = [];
  const seen = new Set([candidates[choice.chosen]?.rank.worker]);
  for (const index of byCost(choice.costs)) {
    if (order.length >= limit) break;
    const worker = candidates[index]?.rank.worker;
    if (seen.has(worker)) continue;
    seen.add(worker);
    order.push(index);
  }
  return order;
}

function byCost(costs: Float64Array): number[] {
  const indexes = Array.from(costs.keys()).filter((index) => !Number.isNaN(costs[index]));
  return indexes.sort((a, b) => (costs[a] ?? 0) - (costs[b] ?? 0));
}

/** An index of least cost; ties by the rule, then uniformly. */
function cheapest(
  candidates: readonly Candidate[],
  costs: Float64Array,
  tieBreak: Required<PickOptions>["tieBreak"],
  random: () => number,
): number {
  const ties: number[] = [];
  let leastCost = Number.POSITIVE_INFINITY;
  let fewestRequests = Number.POSITIVE_INFINITY;
  for (const [i, candidate] of candidates.entries()) {
    const cost = costs[i] ?? Number.NaN;
    const requests = tieBreak === "fewest-requests" && candidate.isLoadKnown ? candidate.activeRequests : 0;
    const isBetter = cost < leastCost || (cost === leastCost && requests < fewestRequests);
    if (isBetter) {
      ties.length = 0;
      leastCost = cost;
      fewestRequests = requests;
    }
    if (isBetter || (cost === leastCost && requests === fewestRequests)) ties.push(i);
  }
  const pick = ties.length > 1 ? Math.floor(random() * ties.length) : 0;
  return ties[pick] ?? 0;
}

/** @throws RoutingError saturated when only overload excludes what would be eligible, no_endpoints when nothing would be */
export function assertEligible(candidates: readonly Candidate[], costs: Float64Array): void {
  for (let i = 0; i < costs.length; i++) if (!Number.isNaN(costs[i])) return;
  if (candidates.some((candidate) => candidate.exclusion === "overloaded")) {
    throw new RoutingError("all eligible workers are overloaded", { code: "saturated" });
  }
  throw new RoutingError("no endpoints available to route work", { code: "no_endpoints" });
}
