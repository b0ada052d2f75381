import type { Registry } from "prom-client";
import { BoundedLabel } from "./bounded-label.ts";
import { byteBuckets, requestBuckets, tokenBuckets, tokenTimeBuckets } from "./buckets.ts";
import { HotCounter, HotGauge, HotHistogram } from "./hot-metrics.ts";

/** Which of llm-d's names are served: those of its releases of 2026, the ones before, or both. */
export type LlmdNames = "current" | "deprecated" | "both";

/** What the series need to know before the first request. */
export interface LlmdOptions {
  readonly names: LlmdNames;
  /** Names of the configured models. */
  readonly models: readonly string[];
  /** Most fairness ids with series of their own; later ones are `other`. */
  readonly maxFairnessIds: number;
}

/** Whose a request is. */
export interface LlmdRequest {
  /** Name of the configured model; undefined = it names none. */
  readonly model: string | undefined;
  readonly fairnessId: string;
  readonly priority: number;
}

type RequestLabel = "model_name" | "target_model_name" | "fairness_id" | "priority";
/** The labels of one request's series. */
export type LlmdLabels = Readonly<Record<RequestLabel, string>>;

const requestLabels = ["model_name", "target_model_name", "fairness_id", "priority"] as const;

/** One metric by its name of today and its earlier one. */
interface Named {
  readonly current: string;
  readonly deprecated: string;
  readonly help: string;
}

/**
 * Requests that come over ext_proc, by the names and labels of llm-d's endpoint picker, for dashboards that have them. Source:
 * llm-d-router docs/metrics.md.
 */
export class LlmdMetrics {
  readonly #series: ReturnType<typeof llmdSeries>;
  readonly #models: BoundedLabel;
  readonly #fairnessIds: BoundedLabel;

  constructor(registry: Registry, { names, models, maxFairnessIds }: LlmdOptions) {
    this.#series = llmdSeries(registry, names);
    this.#models = new BoundedLabel(models);
    this.#fairnessIds = new BoundedLabel([], maxFairnessIds);
  }

  labelsOf({ model, fairnessId, priority }: LlmdRequest): LlmdLabels {
    const name = this.#models.of(model);
    return {
      model_name: name,
      target_model_name: name,
      fairness_id: this.#fairnessIds.of(fairnessId),
      priority: String(priority),
    };
  }

  began(labels: LlmdLabels, bodyBytes: number): void {
    for (const series of this.#series.total) series.inc(labels);
    for (const series of this.#series.requestBytes) series.observe(labels, bodyBytes);
  }

  scored(durationMs: number): void {
    for (const series of this.#series.scheduling) series.observe({}, durationMs / 1000);
  }

  failed(labels: LlmdLabels, httpStatus: number): void {
    for (const series of this.#series.errors) series.inc({ ...labels, error_code: errorCodeOf(httpStatus) });
  }

  placed(labels: LlmdLabels): void {
    for (const series of this.#series.running) series.add(labels, 1);
  }

  used(
    labels: LlmdLabels,
    usage: { readonly inputTokens: number; readonly cachedTokens: number | undefined },
    outputTokens: number | undefined,
    sinceArrivalMs: number,
  ): void {
    const { inputTokens, outputTokens: output, cachedTokens, perToken } = this.#series;
    for (const series of inputTokens) series.observe(labels, atLeastZero(usage.inputTokens));
    if (usage.cachedTokens !== undefined) {
      for (const series of cachedTokens) series.observe(labels, atLeastZero(usage.cachedTokens));
    }
    if (outputTokens === undefined) return;
    for (const series of output) series.observe(labels, atLeastZero(outputTokens));
    if (!(outputTokens > 0)) return;
    for (const series of perToken) series.observe(labels, sinceArrivalMs / 1000 / outputTokens);
  }

  ended(labels: LlmdLabels, sinceArrivalMs: number): void {
    for (const series of this.#series.running) series.add(labels, -1);
    for (const series of this.#series.duration) series.observe(labels, sinceArrivalMs / 1000);
  }
}

/** llm-d's word for an error, by the HTTP status that it is answered with. */
function errorCodeOf(status: number): string {
  if (status === 404) return "NotFound";
  if (status === 429) return "ResourceExhausted";
  if (status === 503 || status === 504) return "ServiceUnavailable";
  return status < 500 ? "BadRequest" : "Internal";
}

function llmdSeries(registry: Registry, names: LlmdNames) {
  const registers = [registry];
  const each = <M>(named: Named, make: (metric: { name: string; help: string; registers: Registry[] }) => M) =>
    namesOf(named, names).map((name) => make({ name, help: named.help, registers }));
  const counter = (named: Named) => each(named, (metric) => new HotCounter({ ...metric, labelNames: requestLabels }));
  const histogram = (named: Named, buckets: readonly number[]) =>
    each(named, (metric) => new HotHistogram({ ...metric, labelNames: requestLabels, buckets }));
  return {
    total: counter(llmdNames.total),
    errors: each(
      llmdNames.errors,
      (metric) => new HotCounter({ ...metric, labelNames: [...requestLabels, "error_code"] as const }),
    ),
    running: each(llmdNames.running, (metric) => new HotGauge({ ...metric, labelNames: requestLabels })),
    duration: histogram(llmdNames.duration, requestBuckets),
    requestBytes: histogram(llmdNames.requestBytes, byteBuckets),
    inputTokens: histogram(llmdNames.inputTokens, tokenBuckets),
    outputTokens: histogram(llmdNames.outputTokens, tokenBuckets),
    cachedTokens: histogram(llmdNames.cachedTokens, tokenBuckets),
    perToken: histogram(llmdNames.perToken, tokenTimeBuckets),
    scheduling: each(llmdNames.scheduling, (metric) => new HotHistogram({ ...metric, buckets: requestBuckets })),
  };
}

/** The names that are served of a metric. */
export function namesOf({ current, deprecated }: Pick<Named, "current" | "deprecated">, names: LlmdNames): string[] {
  if (names === "both") return [current, deprecated];
  return [names === "current" ? current : deprecated];
}

function named(current: string, deprecated: string, help: string): Named {
  return { current: `llm_d_epp_${current}`, deprecated, help };
}

const llmdNames = {
  total: named("request_total", "inference_objective_request_total", "Requests that came to be placed."),
  errors: named("request_error_total", "inference_objective_request_error_total", "Of these, those that were refused."),
  running: named("request_running", "inference_objective_running_requests", "Placed requests that are under way."),
  duration: named(
    "request_duration_seconds",
    "inference_objective_request_duration_seconds",
    "From the end of a request's body to the end of its answer.",
  ),
  requestBytes: named("request_size_bytes", "inference_objective_request_sizes", "Length of the request bodies."),
  inputTokens: named(
    "request_input_tokens",
    "inference_objective_input_tokens",
    "Prompt tokens that the workers reported.",
  ),
  outputTokens: named(
    "request_output_tokens",
    "inference_objective_output_tokens",
    "Generated tokens that the workers reported.",
  ),
  cachedTokens: named(
    "request_cached_tokens",
    "inference_objective_prompt_cached_tokens",
    "Cached prompt tokens that the workers reported.",
  ),
  perToken: named(
    "request_ntpot_seconds",
    "inference_objective_normalized_time_per_output_token_seconds",
    "Time of a request by its generated tokens.",
  ),
  scheduling: named(
    "scheduler_e2e_duration_seconds",
    "inference_extension_scheduler_e2e_duration_seconds",
    "Time in which a worker was chosen.",
  ),
} as const;

function atLeastZero(value: number): number {
  return value > 0 && value < Number.POSITIVE_INFINITY ? value : 0;
}
