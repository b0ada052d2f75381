import type { Registry } from "prom-client";
import { durationBuckets } from "./buckets.ts";
import { HotCounter, HotHistogram } from "./hot-metrics.ts";
import { registerSampledGauge } from "./sampled-gauge.ts";

/** What the proxy holds; read at each scrape. */
export interface ProxySample {
  /** Requests under way. */
  readonly running: number;
  /** Bytes of request bodies held. */
  readonly heldBodyBytes: number;
  /** Answers of the Responses API whose worker is remembered. */
  readonly storedResponses: number;
}

/** What happens to requests of the HTTP front door. */
export class ProxyMetrics {
  readonly #registry: Registry;
  readonly #answers: HotCounter<"status">;
  readonly #refusals: HotCounter<"code">;
  readonly #attempts: HotCounter<"outcome">;
  readonly #retries: HotCounter<"outcome">;
  readonly #splits: HotCounter<"protocol" | "outcome">;
  readonly #cuts: HotCounter<"reason">;
  readonly #head: HotHistogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#answers = new HotCounter({
      name: "pointsman_proxy_answers_total",
      help: "Answers of workers that the proxy has begun to pass on, by HTTP status.",
      labelNames: ["status"] as const,
      registers,
    });
    this.#refusals = new HotCounter({
      name: "pointsman_proxy_refusals_total",
      help: "Requests that the proxy answered with an error of its own, by code.",
      labelNames: ["code"] as const,
      registers,
    });
    this.#attempts = new HotCounter({
      name: "pointsman_proxy_attempts_total",
      help: "Requests as workers got them, by what came of it: `answered`, `server_error`, `unreachable`, `reset`, `head_timeout`, `stalled`, `malformed`, `unsendable`.",
      labelNames: ["outcome"] as const,
      registers,
    });
    this.#retries = new HotCounter({
      name: "pointsman_proxy_retries_total",
      help: "Failures before the client had a byte, by what came of it: another worker was asked (`sent`), none was left (`no_worker`), retries had been too many (`no_budget`).",
      labelNames: ["outcome"] as const,
      registers,
    });
    this.#splits = new HotCounter({
      name: "pointsman_proxy_splits_total",
      help: "Requests for which a prefill and a decode worker were chosen, by how the KV blocks pass and what came of it: both served it (`split`); the prefill worker named no blocks, so that the decode worker computed the prompt again (`no_params`, counted beside `split`); one worker served it, since the engine ignores the fields on its API (`alone_ignored`), since it asks for several sequences (`alone_batch`), since the connector does not serve its API (`alone_route`), or since one of the two has no `handover` (`alone_no_handover`).",
      labelNames: ["protocol", "outcome"] as const,
      registers,
    });
    this.#cuts = new HotCounter({
      name: "pointsman_proxy_cut_answers_total",
      help: "Answers that a worker broke off after they had begun, by reason.",
      labelNames: ["reason"] as const,
      registers,
    });
    this.#head = new HotHistogram({
      name: "pointsman_proxy_head_seconds",
      help: "From the end of a request's body to the head of its answer to the client.",
      buckets: durationBuckets,
      registers,
    });
  }

  /** Reads what the proxy holds from `source` at each scrape. Call it once. */
  sample(source: ProxySample): void {
    const gauge = (name: string, help: string, value: () => number) =>
      registerSampledGauge(this.#registry, name, help, value);
    gauge("pointsman_proxy_requests", "Requests of the proxy under way.", () => source.running);
    gauge(
      "pointsman_proxy_held_body_bytes",
      "Bytes of request bodies that the proxy holds.",
      () => source.heldBodyBytes,
    );
    const stored = "Answers of the Responses API whose worker the proxy remembers.";
    gauge("pointsman_proxy_stored_responses", stored, () => source.storedResponses);
  }

  /** @param code one of few fixed words */
  refused(code: string): void {
    this.#refusals.inc({ code });
  }

  /** @param outcome one of few fixed words */
  attempted(outcome: string): void {
    this.#attempts.inc({ outcome });
  }

  retried(outcome: string): void {
    this.#retries.inc({ outcome });
  }

  /** @param protocol how the KV blocks pass */
  divided(protocol: string, outcome: string): void {
    this.#splits.inc({ protocol, outcome });
  }

  began(status: number, sinceReceivedMs: number): void {
    this.#answers.inc({ status: String(status) });
    this.#head.observe({}, sinceReceivedMs > 0 ? sinceReceivedMs / 1_000 : 0);
  }

  cut(reason: string): void {
    this.#cuts.inc({ reason });
  }
}
