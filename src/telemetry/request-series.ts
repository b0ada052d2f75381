import type { Registry } from "prom-client";
import { byteBuckets, durationBuckets, tokenBuckets } from "./buckets.ts";
import { HotCounter, HotHistogram } from "./hot-metrics.ts";

/** The metrics of requests, by what they are called in code. */
export type RequestSeries = ReturnType<typeof requestSeries>;

/** Registers them. */
export function requestSeries(registry: Registry) {
  return {
    ...outcomeSeries(registry),
    ...choiceSeries(registry),
    ...durationSeries(registry),
    ...tokenSeries(registry),
    ...usageSeries(registry),
  };
}

function outcomeSeries(registry: Registry) {
  const registers = [registry];
  return {
    picks: new HotCounter({
      name: "pointsman_picks_total",
      help: "Requests that were placed, by API, configured model and how they came: the gateway's body mode, `proxy`, or the route API, whose callers book (`reserve`) or only ask (`query`).",
      labelNames: ["api", "model", "mode"] as const,
      registers,
    }),
    errors: new HotCounter({
      name: "pointsman_errors_total",
      help: "Requests refused by the picker, by the error's code; `saturated` are those shed for load.",
      labelNames: ["code"] as const,
      registers,
    }),
    aborted: new HotCounter({
      name: "pointsman_aborted_total",
      help: "Requests whose client left, by how far they had come.",
      labelNames: ["phase"] as const,
      registers,
    }),
    mismatches: new HotCounter({
      name: "pointsman_endpoint_mismatches_total",
      help: "Requests that another endpoint served than the picked one.",
      registers,
    }),
  };
}

function choiceSeries(registry: Registry) {
  const registers = [registry];
  return {
    sessions: new HotCounter({
      name: "pointsman_session_picks_total",
      help: "Requests that name a session, by what became of it: new, kept on its worker, moved to another.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    splits: new HotCounter({
      name: "pointsman_split_picks_total",
      help: "Requests by whether a prefill and a decode worker share them (split), or why one serves them alone.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    queueWait: new HotHistogram({
      name: "pointsman_queue_wait_seconds",
      help: "Time that requests waited because all workers were too busy, by how it ended: placed, expired, evicted, left, failed.",
      labelNames: ["end"] as const,
      buckets: durationBuckets,
      registers,
    }),
  };
}

function durationSeries(registry: Registry) {
  const registers = [registry];
  return {
    pickDuration: new HotHistogram({
      name: "pointsman_pick_duration_seconds",
      help: "From the end of the request's body to the answer, by outcome.",
      labelNames: ["outcome"] as const,
      buckets: durationBuckets,
      registers,
    }),
    stageDuration: new HotHistogram({
      name: "pointsman_pick_stage_duration_seconds",
      help: "Parts of that time: gather (reading the body), prepare (tokens and hashes), select (choosing and booking).",
      labelNames: ["stage"] as const,
      buckets: durationBuckets,
      registers,
    }),
    bodyBytes: new HotHistogram({
      name: "pointsman_request_body_bytes",
      help: "Length of the request bodies.",
      buckets: byteBuckets,
      registers,
    }),
  };
}

function tokenSeries(registry: Registry) {
  const registers = [registry];
  const labelNames = ["model"] as const;
  return {
    inputTokens: new HotHistogram({
      name: "pointsman_input_tokens",
      help: "Prompt length as tokenized for the pick.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    predictedCachedTokens: new HotHistogram({
      name: "pointsman_predicted_cached_tokens",
      help: "Prompt tokens that the picked worker was believed to hold.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    blocks: new HotCounter({
      name: "pointsman_prompt_blocks_total",
      help: "Complete blocks of the prompts of placed requests: all (`prompt`), and those of them that the picked worker was believed to hold (`held`).",
      labelNames: ["model", "kind"] as const,
      registers,
    }),
    inexact: new HotCounter({
      name: "pointsman_inexact_total",
      help: "Requests placed without knowing their exact tokens, by the reason.",
      labelNames: ["model", "reason"] as const,
      registers,
    }),
  };
}

function usageSeries(registry: Registry) {
  const registers = [registry];
  const labelNames = ["model"] as const;
  return {
    servedInputTokens: new HotCounter({
      name: "pointsman_served_input_tokens_total",
      help: "Prompt tokens that the workers reported.",
      labelNames,
      registers,
    }),
    outputTokens: new HotCounter({
      name: "pointsman_served_output_tokens_total",
      help: "Generated tokens that the workers reported.",
      labelNames,
      registers,
    }),
    servedCachedTokens: new HotHistogram({
      name: "pointsman_served_cached_tokens",
      help: "Cached prompt tokens that the workers reported.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    comparedTokens: new HotCounter({
      name: "pointsman_compared_cached_tokens_total",
      help: "Cached tokens of the requests for which both a prediction and a report exist, by which of the two.",
      labelNames: ["model", "kind"] as const,
      registers,
    }),
    cachedTokensError: new HotHistogram({
      name: "pointsman_cached_tokens_error",
      help: "Tokens between prediction and report, without sign.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    usageUnread: new HotCounter({
      name: "pointsman_usage_unread_total",
      help: "Successful responses whose token counts could not be read, by the reason.",
      labelNames: ["reason"] as const,
      registers,
    }),
  };
}
