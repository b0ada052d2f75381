import { Counter, type Registry } from "prom-client";
import { registerSampledGauge } from "./sampled-gauge.ts";

/** What the threads that prepare large requests have to do at the moment of a scrape. */
export interface PromptSample {
  /** Requests that wait for a thread. */
  readonly queued: number;
  /** Requests that threads are preparing. */
  readonly running: number;
}

/** What happens to requests that are prepared in threads. */
export class PromptMetrics {
  readonly #registry: Registry;
  readonly #requests: Counter<"outcome">;
  readonly #ended: Counter;
  readonly #checks: Counter<"model" | "outcome">;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#requests = new Counter({
      name: "pointsman_thread_requests_total",
      help: "Requests that went to a prompt thread, by outcome: `prepared`, or why they were placed by load.",
      labelNames: ["outcome"] as const,
      registers: [registry],
    });
    this.#ended = new Counter({
      name: "pointsman_thread_restarts_total",
      help: "Prompt threads that ended by themselves and were started again.",
      registers: [registry],
    });
    this.#checks = new Counter({
      name: "pointsman_shadow_checks_total",
      help: "Requests that were tokenized again by Hugging Face's own engine, by whether the ids were the same.",
      labelNames: ["model", "outcome"] as const,
      registers: [registry],
    });
  }

  /** A request was tokenized again by the official engine. @param model one of the configured */
  checked(model: string, outcome: "same" | "different" | "skipped"): void {
    this.#checks.inc({ model, outcome });
  }

  prepared(): void {
    this.#requests.inc({ outcome: "prepared" });
  }

  /** @param failure one of few fixed texts */
  failed(failure: string): void {
    this.#requests.inc({ outcome: failure });
  }

  threadEnded(): void {
    this.#ended.inc();
  }

  /** Reads `source` at each scrape. Call it once. */
  sample(source: PromptSample): void {
    const gauge = (name: string, help: string, value: () => number) =>
      registerSampledGauge(this.#registry, name, help, value);
    gauge("pointsman_thread_queue", "Requests that wait for a prompt thread.", () => source.queued);
    gauge("pointsman_thread_running", "Requests that prompt threads are preparing.", () => source.running);
  }
}
