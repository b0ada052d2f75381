import { performance } from "node:perf_hooks";
import { httpStatusByCode, RoutingError } from "../errors/index.ts";
import {
  type AdmissionOptions,
  flowOf,
  type PickStageName,
  type PickStages,
  type RouteDecision,
  type RouteRequest,
  type UsedTokens,
} from "../router/index.ts";
import type { LlmdLabels, LlmdMetrics } from "../telemetry/index.ts";
import type { PickedWatch, RequestWatch, RequestWatcher } from "./request-watch.ts";

/** Counts requests by llm-d's names. */
export class LlmdWatcher implements RequestWatcher {
  readonly #metrics: LlmdMetrics;
  readonly #priorities: AdmissionOptions["priorities"];

  constructor(metrics: LlmdMetrics, priorities: AdmissionOptions["priorities"]) {
    this.#metrics = metrics;
    this.#priorities = priorities;
  }

  watch(request: RouteRequest): RequestWatch {
    return new LlmdWatch(request, this.#metrics, this.#priorities);
  }
}

class LlmdWatch implements RequestWatch, PickStages {
  readonly #request: RouteRequest;
  readonly #metrics: LlmdMetrics;
  readonly #priorities: AdmissionOptions["priorities"];
  readonly #arrivedMs = performance.now();

  constructor(request: RouteRequest, metrics: LlmdMetrics, priorities: AdmissionOptions["priorities"]) {
    this.#request = request;
    this.#metrics = metrics;
    this.#priorities = priorities;
  }

  get stages(): PickStages {
    return this;
  }

  during<T>(stage: PickStageName, work: () => T): T {
    if (stage !== "score") return work();
    const startMs = performance.now();
    try {
      return work();
    } finally {
      this.#metrics.scored(performance.now() - startMs);
    }
  }

  picked({ model }: RouteDecision): PickedWatch {
    const metrics = this.#metrics;
    const labels = this.#begin(model);
    metrics.placed(labels);
    return {
      used: (usage: UsedTokens) => metrics.used(labels, usage, usage.outputTokens, this.#sinceMs()),
      ended: () => metrics.ended(labels, this.#sinceMs()),
    };
  }

  failed(error: unknown, hasLeft: boolean): void {
    const labels = this.#begin(undefined);
    if (hasLeft) return;
    this.#metrics.failed(labels, error instanceof RoutingError ? httpStatusByCode[error.code] : 500);
  }

  #begin(model: string | undefined): LlmdLabels {
    const { headers, body } = this.#request;
    const labels = this.#metrics.labelsOf({ model, ...flowOf(headers, this.#priorities) });
    this.#metrics.began(labels, body.length);
    return labels;
  }

  #sinceMs(): number {
    return performance.now() - this.#arrivedMs;
  }
}
