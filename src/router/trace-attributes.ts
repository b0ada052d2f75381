import type { RouteTarget, UsedTokens } from "./route-decision.ts";

/** What a span says of a request: names of the settings, and numbers. */
type TraceAttributes = Readonly<Record<string, string | number | undefined>>;

/** Where a request goes, and what that was judged by. */
export function targetAttributes(target: RouteTarget): TraceAttributes {
  const { answering, prefill, subject } = target.selection;
  return {
    "gen_ai.request.model": target.model,
    "pointsman.api": target.api,
    "pointsman.worker": answering.rank.worker.name,
    "pointsman.dp_rank": answering.rank.dpRank,
    "pointsman.endpoint": target.endpoint,
    "pointsman.prefill_worker": prefill?.rank.worker.name,
    "pointsman.prompt_tokens": target.inputTokens,
    "pointsman.predicted_cached_tokens": target.predictedCachedTokens,
    "pointsman.load_only_reason": subject.loadOnlyReason,
  };
}

/** What the worker reported. */
export function usageAttributes({ inputTokens, cachedTokens, outputTokens }: UsedTokens): TraceAttributes {
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "pointsman.cached_tokens": cachedTokens,
  };
}
