import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { RoutingErrorCode } from "../errors/index.ts";
import { BoundedLabel } from "./bounded-label.ts";
import { byteBuckets, durationBuckets, tokenBuckets } from "./buckets.ts";

/** Parts of a pick's time: reading the body, turning it into tokens and hashes, choosing and booking. */
export type PickStage = "gather" | "prepare" | "select";

/** A request that was placed. */
export interface PickedRequest {
  readonly model: string | undefined;
  readonly api: string;
  /** How the body came: the gateway's body mode. */
  readonly mode: string;
  readonly bodyBytes: number;
  /** From the end of the request's body to the answer. */
  readonly durationMs: number;
  /** Undefined when the tokens are not known. */
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** Token counts that a worker reported; undefined where it does not tell. */
export interface ServedUsage {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** What happens to requests. Every method is cheap enough for the hot path and never throws. */
export class RequestMetrics {
  readonly #models: BoundedLabel;
  readonly #inexactReasons = new BoundedLabel([], 32);
  readonly #series: RequestSeries;

  /** @param models names of the configured models: the values of the label `model`, beside `other` and `none` */
  constructor(registry: Registry, models: readonly string[]) {
    this.#models = new BoundedLabel(models);
    this.#series = requestSeries(registry);
  }

  picked(pick: PickedRequest): void {
    const model = this.#models.of(pick.model);
    const { picks, pickDuration, bodyBytes, inputTokens, predictedCachedTokens } = this.#series;
    picks.inc({ api: pick.api, model, mode: pick.mode });
    pickDuration.observe({ outcome: "picked" }, seconds(pick.durationMs));
    bodyBytes.observe(atLeastZero(pick.bodyBytes));
    if (pick.inputTokens !== undefined) inputTokens.observe({ model }, atLeastZero(pick.inputTokens));
    if (pick.predictedCachedTokens !== undefined)
      predictedCachedTokens.observe({ model }, atLeastZero(pick.predictedCachedTokens));
  }

  failed(failure: { readonly code: RoutingErrorCode; readonly durationMs: number }): void {
    this.#series.errors.inc({ code: failure.code });
    this.#series.pickDuration.observe({ outcome: "failed" }, seconds(failure.durationMs));
  }

  stage(stage: PickStage, durationMs: number): void {
    this.#series.stageDuration.observe({ stage }, seconds(durationMs));
  }

  /** How a placed request was chosen: by the state of its session, and whether two workers share it. */
  chosen(choice: { readonly session: string | undefined; readonly aggregatedReason: string | undefined }): void {
    if (choice.session !== undefined) this.#series.sessions.inc({ outcome: choice.session });
    this.#series.splits.inc({ outcome: choice.aggregatedReason ?? "split" });
  }

  /** A request waited for a worker that was not too busy; `end` is one of few fixed words. */
  waited(end: string, durationMs: number): void {
    this.#series.queueWait.observe({ end }, seconds(durationMs));
  }

  /** A request was placed without token claims; `reason` is one of few fixed texts. */
  inexact(model: string | undefined, reason: string): void {
    this.#series.inexact.inc({ model: this.#models.of(model), reason: this.#inexactReasons.of(reason) });
  }

  usage(usage: ServedUsage): void {
    const model = this.#models.of(usage.model);
    const { servedInputTokens, servedCachedTokens, outputTokens, comparedTokens, cachedTokensError } = this.#series;
    servedInputTokens.inc({ model }, atLeastZero(usage.inputTokens));
    if (usage.outputTokens !== undefined) outputTokens.inc({ model }, atLeastZero(usage.outputTokens));
    if (usage.cachedTokens === undefined) return;
    const reported = atLeastZero(usage.cachedTokens);
    servedCachedTokens.observe({ model }, reported);
    if (usage.predictedCachedTokens === undefined) return;
    const predicted = atLeastZero(usage.predictedCachedTokens);
    comparedTokens.inc({ model, kind: "predicted" }, predicted);
    comparedTokens.inc({ model, kind: "reported" }, reported);
    cachedTokensError.observe({ model }, Math.abs(predicted - reported));
  }

  /** A successful response whose counts could not be read; `reason` is one of few fixed words. */
  usageUnread(reason: string): void {
    this.#series.usageUnread.inc({ reason });
  }

  /** Another endpoint than the picked one served a request. */
  mismatch(_endpoints?: unknown): void {
    this.#series.mismatches.inc();
  }

  aborted(abort: { readonly phase: string }): void {
    this.#series.aborted.inc({ phase: abort.phase });
  }

  inFlight(totals: { readonly streams: number; readonly picks: number; readonly bodyBytes: number }): void {
    this.#series.openStreams.set(totals.streams);
    this.#series.picksInFlight.set(totals.picks);
    this.#series.heldBodyBytes.set(totals.bodyBytes);
  }
}

/** prom-client throws on NaN and on negative counts, and a worker may report either. */
function atLeastZero(value: number): number {
  return value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}

function seconds(ms: number): number {
  return atLeastZero(ms) / 1000;
}

type RequestSeries = ReturnType<typeof requestSeries>;

function requestSeries(registry: Registry) {
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
    picks: new Counter({
      name: "pointsman_picks_total",
      help: "Requests that were placed, by API, configured model and body mode.",
      labelNames: ["api", "model", "mode"] as const,
      registers,
    }),
    errors: new Counter({
      name: "pointsman_errors_total",
      help: "Requests refused by the picker, by the error's code; `saturated` are those shed for load.",
      labelNames: ["code"] as const,
      registers,
    }),
    aborted: new Counter({
      name: "pointsman_aborted_total",
      help: "Requests whose client left, by how far they had come.",
      labelNames: ["phase"] as const,
      registers,
    }),
    mismatches: new Counter({
      name: "pointsman_endpoint_mismatches_total",
      help: "Requests that another endpoint served than the picked one.",
      registers,
    }),
    openStreams: new Gauge({ name: "pointsman_open_streams", help: "Open ext_proc streams.", registers }),
    picksInFlight: new Gauge({
      name: "pointsman_picks_in_flight",
      help: "Requests between their headers and their answer.",
      registers,
    }),
    heldBodyBytes: new Gauge({
      name: "pointsman_held_body_bytes",
      help: "Bytes of request bodies held in memory.",
      registers,
    }),
  };
}

function choiceSeries(registry: Registry) {
  const registers = [registry];
  return {
    sessions: new Counter({
      name: "pointsman_session_picks_total",
      help: "Requests that name a session, by what became of it: new, kept on its worker, moved to another.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    splits: new Counter({
      name: "pointsman_split_picks_total",
      help: "Requests by whether a prefill and a decode worker share them (split), or why one serves them alone.",
      labelNames: ["outcome"] as const,
      registers,
    }),
    queueWait: new Histogram({
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
    pickDuration: new Histogram({
      name: "pointsman_pick_duration_seconds",
      help: "From the end of the request's body to the answer, by outcome.",
      labelNames: ["outcome"] as const,
      buckets: durationBuckets,
      registers,
    }),
    stageDuration: new Histogram({
      name: "pointsman_pick_stage_duration_seconds",
      help: "Parts of that time: gather (reading the body), prepare (tokens and hashes), select (choosing and booking).",
      labelNames: ["stage"] as const,
      buckets: durationBuckets,
      registers,
    }),
    bodyBytes: new Histogram({
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
    inputTokens: new Histogram({
      name: "pointsman_input_tokens",
      help: "Prompt length as tokenized for the pick.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    predictedCachedTokens: new Histogram({
      name: "pointsman_predicted_cached_tokens",
      help: "Prompt tokens that the picked worker was believed to hold.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    inexact: new Counter({
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
    servedInputTokens: new Counter({
      name: "pointsman_served_input_tokens_total",
      help: "Prompt tokens that the workers reported.",
      labelNames,
      registers,
    }),
    outputTokens: new Counter({
      name: "pointsman_served_output_tokens_total",
      help: "Generated tokens that the workers reported.",
      labelNames,
      registers,
    }),
    servedCachedTokens: new Histogram({
      name: "pointsman_served_cached_tokens",
      help: "Cached prompt tokens that the workers reported.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    comparedTokens: new Counter({
      name: "pointsman_compared_cached_tokens_total",
      help: "Cached tokens of the requests for which both a prediction and a report exist, by which of the two.",
      labelNames: ["model", "kind"] as const,
      registers,
    }),
    cachedTokensError: new Histogram({
      name: "pointsman_cached_tokens_error",
      help: "Tokens between prediction and report, without sign.",
      labelNames,
      buckets: tokenBuckets,
      registers,
    }),
    usageUnread: new Counter({
      name: "pointsman_usage_unread_total",
      help: "Successful responses whose token counts could not be read, by the reason.",
      labelNames: ["reason"] as const,
      registers,
    }),
  };
}
