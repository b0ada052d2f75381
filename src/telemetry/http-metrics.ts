import { Counter, Histogram, type Registry } from "prom-client";
import { durationBuckets } from "./buckets.ts";

/** What happens to requests of the HTTP listeners. */
export class HttpMetrics {
  readonly #answers: Counter<"operation" | "status">;
  readonly #refusals: Counter<"operation" | "code">;
  readonly #duration: Histogram<"operation">;

  constructor(registry: Registry) {
    this.#answers = new Counter({
      name: "pointsman_http_answers_total",
      help: "Answers of the route API, by operation and HTTP status; unknown paths are not counted.",
      labelNames: ["operation", "status"] as const,
      registers: [registry],
    });
    this.#refusals = new Counter({
      name: "pointsman_http_refusals_total",
      help: "Answers of the route API that are errors, by operation and the error's code.",
      labelNames: ["operation", "code"] as const,
      registers: [registry],
    });
    this.#duration = new Histogram({
      name: "pointsman_http_duration_seconds",
      help: "From the end of the request's body to its answer, by operation of the route API.",
      labelNames: ["operation"] as const,
      buckets: durationBuckets,
      registers: [registry],
    });
  }

  /**
   * @param operationId one of few fixed names
   * @param code of a refusal, one of few fixed words
   */
  answered(operationId: string, status: number, durationMs: number, code: string | undefined): void {
    if (code !== undefined) this.#refusals.inc({ operation: operationId, code });
    this.#answers.inc({ operation: operationId, status });
    this.#duration.observe({ operation: operationId }, durationMs / 1000);
  }
}
