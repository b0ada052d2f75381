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

/** The cost of one candidate and what it is made of. Blocks unless named otherwise. */
export interface CostTerms {
  /** Tokens believed to be cached in all tiers, weighted; may exceed the prompt. */
  readonly cachedTokens: number;
  /** Prefill waiting on the rank with this prompt, before credit. */
  readonly prefillBlocks: number;
  /** What cached blocks save. */
  readonly creditBlocks: number;
  /** What is left of the device credit on a rank with much to prefill, in (0,1]. */
  readonly creditDecay: number;
  /** Blocks that decoding holds with this prompt. */
  readonly decodeBlocks: number;
  /** Charge for running requests. */
  readonly requestBlocks: number;
  /** Factor of the preferred taints; below 1 = preferred. */
  readonly preferenceFactor: number;
  /** The whole, lower is better, >= 0. */
  readonly cost: number;
}

/** Least prefill load, in tokens, among the eligible candidates; 0 when none is. */
export function leastPrefillTokens(candidates: readonly Candidate[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.exclusion !== undefined) continue;
    least = Math.min(least, candidate.isLoadKnown ? candidate.activePrefillTokens : 0);
  }
  return least === Number.POSITIVE_INFINITY ? 0 : least;
}

/** Tokens believed to be cached on a rank: blocks of every tier, by weight, rounded. Not bounded by the prompt. */
export function estimatedCachedTokens(
  overlap: Pick<Candidate, "deviceBlocks" | "hostBlocks" | "diskBlocks">,
  blockSize: number,
  options: Required<PickOptions>,
): number {
  const { deviceBlocks, hostBlocks, diskBlocks } = overlap;
  return Math.round(
    (deviceBlocks + options.hostCacheHitWeight * hostBlocks + options.diskCacheHitWeight * diskBlocks) * blockSize,
  );
}

/** Factor of a sum of preferred-taint weights; 1 for 0, in (1/e, e). Source: dynamo@1.6.1 scheduling/selector. */
export function preferenceFactor(weightSum: number): number {
  return Math.exp(-Math.tanh(weightSum));
}

/**
 * What placing the request on a candidate costs.
 * Source: dynamo@1.6.1 scheduling/selector/reference.rs worker_logit.
 * @param leastPrefill `leastPrefillTokens` of all candidates
 */
export function costTerms(
  candidate: Candidate,
  request: PickRequest,
  options: Required<PickOptions>,
  leastPrefill: number,
): CostTerms {
  const cachedTokens = estimatedCachedTokens(candidate, request.blockSize, options);
  const prefillBlocks = rawPrefillTokens(candidate, request, cachedTokens) / request.blockSize;
  const creditDecay = decayOfCredit(candidate, request, options, leastPrefill);
  const creditBlocks =
    options.overlapScoreCredit * creditDecay * candidate.deviceBlocks +
    options.hostCacheHitWeight * candidate.hostBlocks +
    options.diskCacheHitWeight * candidate.diskBlocks +
    options.sharedCacheMultiplier * candidate.sharedCacheBlocks;
  const decodeBlocks = candidate.isLoadKnown ? candidate.activeDecodeBlocks + candidate.blocksNotActive : 0;
  const requestBlocks = candidate.isLoadKnown ? options.decodeActiveRequestWeight * candidate.activeRequests : 0;
  const factor = candidate.preference === 0 ? 1 : preferenceFactor(candidate.preference);
  const isOverlapOnDecode = request.phase === "decode" && !request.tracksPrefill && options.overlapScoreCredit > 0;
  const cost = isOverlapOnDecode
    ? Math.max(0, decodeBlocks - creditBlocks) + requestBlocks
    : options.prefillLoadScale * Math.max(0, prefillBlocks - creditBlocks) + decodeBlocks + requestBlocks;
  return {
    cachedTokens,
    prefillBlocks,
    creditBlocks,
    creditDecay,
    decodeBlocks,
    requestBlocks,
    preferenceFactor: factor,
    cost: cost * factor,
  };
}

function rawPrefillTokens(candidate: Candidate, request: PickRequest, cachedTokens: number): number {
  if (!request.tracksPrefill) return 0;
  if (!candidate.isLoadKnown) return request.promptTokens;
  return candidate.activePrefillTokens + Math.max(0, request.promptTokens - cachedTokens) + cachedTokens;
}

function decayOfCredit(
  candidate: Candidate,
  request: PickRequest,
  options: Required<PickOptions>,
  leastPrefill: number,
): number {
  if (!request.tracksPrefill || options.overlapScoreCreditDecay === 0) return 1;
  const activePrefill = candidate.isLoadKnown ? candidate.activePrefillTokens : 0;
  const excessBlocks = Math.max(0, activePrefill - leastPrefill) / request.blockSize;
  const promptBlocks = Math.max(1, Math.ceil(request.promptTokens / request.blockSize));
  return 1 / (1 + (options.overlapScoreCreditDecay * excessBlocks) / promptBlocks);
}
