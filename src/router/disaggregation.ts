import type { PairTopology } from "../pick/index.ts";

/** When a request is split between a worker that prefills and one that decodes, and which two may be a pair. */
export interface DisaggregationOptions {
  /**
   * Prompts with fewer tokens to prefill than this, cached ones not counted, stay on one worker: short ones, and those that the
   * worker mostly holds. 0 = every prompt is split. Default 0. Dynamo's conditional disaggregation uses 2 048.
   */
  readonly maxLocalPrefillTokens?: number;
  /** Of those, only the ones whose uncached share of the prompt is below this. >= 0; 0 = all. Default 0; Dynamo 0.7. */
  readonly maxLocalPrefillRatio?: number;
  readonly topology?: PairTopology;
}

/** Why a request of a fleet with prefill workers was served by one worker. Stable: explanations and metrics show it. */
export type AggregatedReason = "no_prompt" | "asked_for" | "no_prefill_worker" | "no_pair" | "short_prefill";

/** @throws RangeError naming the option */
export function resolveDisaggregation(options: DisaggregationOptions = {}): Required<DisaggregationOptions> {
  const {
    maxLocalPrefillTokens = 0,
    maxLocalPrefillRatio = 0,
    topology = { label: undefined, enforcement: "prefer", crossDomainWeight: 1 },
  } = options;
  if (!(maxLocalPrefillTokens >= 0)) {
    throw new RangeError(`disaggregation.maxLocalPrefillTokens must be >= 0, got ${maxLocalPrefillTokens}`);
  }
  if (!(maxLocalPrefillRatio >= 0)) {
    throw new RangeError(`disaggregation.maxLocalPrefillRatio must be >= 0, got ${maxLocalPrefillRatio}`);
  }
  if (!(topology.crossDomainWeight >= 0 && topology.crossDomainWeight < Number.POSITIVE_INFINITY)) {
    throw new RangeError(
      `disaggregation.crossDomainWeight must be a finite number >= 0, got ${topology.crossDomainWeight}`,
    );
  }
  return { maxLocalPrefillTokens, maxLocalPrefillRatio, topology };
}

/**
 * Whether a prompt is worth no hand-over.
 * @param cachedTokens tokens that the worker that would serve it alone holds
 */
export function isLocalPrefill(
  promptTokens: number,
  cachedTokens: number,
  options: Required<DisaggregationOptions>,
): boolean {
  const uncached = Math.max(0, promptTokens - cachedTokens);
  if (uncached >= options.maxLocalPrefillTokens) return false;
  return options.maxLocalPrefillRatio === 0 || uncached / Math.max(1, promptTokens) < options.maxLocalPrefillRatio;
}
