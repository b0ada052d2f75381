import type { Registry } from "prom-client";
import { durationBuckets } from "./buckets.ts";
import { HotCounter, HotHistogram } from "./hot-metrics.ts";
import { registerSampledGauge } from "./sampled-gauge.ts";

/** What a decision amounts to. */
export interface DecisionWorkCount {
  readonly branches: number;
  readonly promptTokens: number;
  readonly labels: number;
}

/** What happens to typed decisions. No label holds anything of a request's text. */
export class DecisionMetrics {
  readonly #registry: Registry;
  readonly #answers: HotCounter<"route" | "status" | "error">;
  readonly #work: HotCounter<"route" | "kind">;
  readonly #seconds: HotHistogram<"route">;
  readonly #phases: HotHistogram<"route" | "phase">;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#answers = new HotCounter({
      name: "pointsman_decisions_answers_total",
      help: "Answers to typed decisions, by route (`decisions`, `systemone`), HTTP status and class of error: none (`ok`), `validation`, `not_found`, `overload`, `unavailable`, `cancelled`, `internal`.",
      labelNames: ["route", "status", "error"] as const,
      registers,
    });
    this.#work = new HotCounter({
      name: "pointsman_decisions_work_total",
      help: "What decisions that reached a worker amounted to: questions (`branches`), tokens of their prompts (`prompt_tokens`), candidates (`labels`).",
      labelNames: ["route", "kind"] as const,
      registers,
    });
    this.#seconds = new HotHistogram({
      name: "pointsman_decisions_seconds",
      help: "Time from a decision's request to its answer, whatever that was.",
      labelNames: ["route"] as const,
      buckets: durationBuckets,
      registers,
    });
    this.#phases = new HotHistogram({
      name: "pointsman_decisions_phase_seconds",
      help: "Parts of that time: making all prompts (`preflight`), the first question (`first_branch`), the others (`fanout`).",
      labelNames: ["route", "phase"] as const,
      buckets: durationBuckets,
      registers,
    });
  }

  answered(route: string, status: number, durationMs: number): void {
    this.#answers.inc({ route, status: String(status), error: errorClass(status) });
    this.#seconds.observe({ route }, durationMs / 1000);
  }

  phase(route: string, phase: string, durationMs: number): void {
    this.#phases.observe({ route, phase }, durationMs / 1000);
  }

  asked(route: string, { branches, promptTokens, labels }: DecisionWorkCount): void {
    this.#work.inc({ route, kind: "branches" }, branches);
    this.#work.inc({ route, kind: "prompt_tokens" }, promptTokens);
    this.#work.inc({ route, kind: "labels" }, labels);
  }

  /** Reads the questions under way from `source` at each scrape. Call it once. */
  sample(source: { readonly branches: number }): void {
    const help = "Questions of typed decisions under way.";
    registerSampledGauge(this.#registry, "pointsman_decisions_branches", help, () => source.branches);
  }
}

function errorClass(status: number): string {
  if (status === 200) return "ok";
  if (status === 404) return "not_found";
  if (status === 429) return "overload";
  if (status === 499) return "cancelled";
  if (status === 503 || status === 504) return "unavailable";
  return status < 500 ? "validation" : "internal";
}
