import type { WorkerRank } from "../fleet/index.ts";
import type { Favourite } from "./affinity/favourite.ts";
import type { Candidate } from "./candidate.ts";
import { assertEligible, type Choice, chooseByCost, costsOf } from "./choose.ts";
import type { PickRequest } from "./cost.ts";
import type { PickOptions } from "./options.ts";

/** How far apart the two workers of a pair may be: the prompt's blocks move from one to the other. */
export interface PairTopology {
  /** Label of a worker whose value names its domain (a zone, a rack); undefined = all workers are near each other. */
  readonly label: string | undefined;
  /** `require`: both in one domain; `prefer`: another domain costs. Workers without the label share a domain. */
  readonly enforcement: "prefer" | "require";
  /** Blocks of cost for each prompt block that moves between two domains. >= 0. */
  readonly crossDomainWeight: number;
}

/** One phase of a pair: who could do it, and what the choice looks at. */
export interface PairPhase {
  readonly candidates: readonly Candidate[];
  readonly request: PickRequest;
  readonly options: Required<PickOptions>;
  /** Picked unless another is much cheaper. */
  readonly favourite?: Favourite | undefined;
}

/** A choice among candidates; with `require` some are excluded by where they are. */
export interface PhaseOutcome {
  readonly candidates: readonly Candidate[];
  readonly choice: Choice;
}

/**
 * Picks the two workers of a request together: at temperature 0 the pair whose costs, with what lies between them, sum to the
 * least. O(candidates).
 * @throws RoutingError no_endpoints or saturated when no pair can be formed
 */
export function choosePair(
  prefill: PairPhase,
  decode: PairPhase,
  topology: PairTopology,
  random: () => number,
): { readonly prefill: PhaseOutcome; readonly decode: PhaseOutcome } {
  const { label } = topology;
  if (label === undefined) return { prefill: alone(prefill, random), decode: alone(decode, random) };
  const domainOf = (candidate: Candidate) => domainOfRank(candidate.rank, label);
  const crossing =
    topology.enforcement === "require"
      ? Number.NaN
      : topology.crossDomainWeight * Math.ceil(prefill.request.promptTokens / prefill.request.blockSize);
  const decodeCosts = costsOf(decode.candidates, decode.request, decode.options);
  assertEligible(decode.candidates, decodeCosts);
  const nearest = leastByDomain(decode.candidates, decodeCosts, domainOf);
  const anywhere = Math.min(...nearest.values());
  const prefillOutcome = withExtra(prefill, random, (candidate) =>
    least(nearest.get(domainOf(candidate)) ?? Number.NaN, anywhere + crossing),
  );
  const picked = prefillOutcome.candidates[prefillOutcome.choice.chosen];
  const domain = picked && domainOf(picked);
  const decodeOutcome = withExtra(decode, random, (candidate) => (domainOf(candidate) === domain ? 0 : crossing));
  return { prefill: prefillOutcome, decode: decodeOutcome };
}

function alone({ candidates, request, options, favourite }: PairPhase, random: () => number): PhaseOutcome {
  const costs = costsOf(candidates, request, options);
  return { candidates, choice: chooseByCost(candidates, costs, options, random, favourite) };
}

/** Picks by cost plus `extraBlocks`; NaN of those excludes a candidate for its domain. */
function withExtra(
  { candidates, request, options, favourite }: PairPhase,
  random: () => number,
  extraBlocks: (candidate: Candidate) => number,
): PhaseOutcome {
  const costs = costsOf(candidates, request, options);
  const placed = candidates.map((candidate, i) => {
    if (candidate.exclusion !== undefined) return candidate;
    const extra = extraBlocks(candidate);
    costs[i] = (costs[i] ?? Number.NaN) + extra;
    return Number.isNaN(extra) ? { ...candidate, exclusion: "other_domain" as const } : candidate;
  });
  return { candidates: placed, choice: chooseByCost(placed, costs, options, random, favourite) };
}

function leastByDomain(
  candidates: readonly Candidate[],
  costs: Float64Array,
  domainOf: (candidate: Candidate) => string,
): Map<string, number> {
  const leastCosts = new Map<string, number>();
  for (const [i, candidate] of candidates.entries()) {
    const cost = costs[i] ?? Number.NaN;
    if (Number.isNaN(cost)) continue;
    const domain = domainOf(candidate);
    leastCosts.set(domain, Math.min(cost, leastCosts.get(domain) ?? Number.POSITIVE_INFINITY));
  }
  return leastCosts;
}

/** The lesser of two that may be NaN. */
function least(a: number, b: number): number {
  if (Number.isNaN(a)) return b;
  return Number.isNaN(b) ? a : Math.min(a, b);
}

function domainOfRank({ worker }: WorkerRank, label: string): string {
  return worker.labels.get(label) ?? "";
}
