import { Counter, type Registry } from "prom-client";
import { HotCounter, HotHistogram } from "./hot-metrics.ts";
import { registerSampledGauge } from "./sampled-gauge.ts";
import { registerGauges } from "./sampled-series.ts";

/** In seconds: an interactive answer, to an hour in the queue. */
const waitBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/** What the queue's front holds; read at each scrape. */
export interface QueueSample {
  /** Requests of clients under way. */
  readonly running: number;
  /** Requests that wait for their results. */
  readonly waiting: number;
  readonly isConnected: boolean;
  /** Bytes of request bodies held. */
  readonly heldBodyBytes: number;
  /** Requests in each queue when it was last looked at. */
  readonly depths: ReadonlyMap<string, number>;
}

/** What happens to requests of the synchronous front of the queues. */
export class QueueMetrics {
  readonly #registry: Registry;
  #sample: QueueSample | undefined;
  readonly #requests: HotCounter<"path">;
  readonly #answers: HotCounter<"path" | "status">;
  readonly #refusals: HotCounter<"code">;
  readonly #left: HotCounter<never>;
  readonly #wait: HotHistogram;
  readonly #duration: HotHistogram;
  readonly #cancellations: Counter<"reason">;
  readonly #orphans: Counter<"reason">;
  readonly #errors: Counter<"operation">;
  readonly #removed: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registry = registry;
    this.#requests = new HotCounter({
      name: "pointsman_queue_front_received_total",
      help: "Requests of clients for the queues, by path.",
      labelNames: ["path"] as const,
      registers,
    });
    this.#answers = new HotCounter({
      name: "pointsman_queue_front_answers_total",
      help: "Answers to them, by path and HTTP status; an error within a stream counts by its own status.",
      labelNames: ["path", "status"] as const,
      registers,
    });
    this.#refusals = new HotCounter({
      name: "pointsman_queue_front_refusals_total",
      help: "Answers that are errors of the front's or the queue's own, by code.",
      labelNames: ["code"] as const,
      registers,
    });
    this.#left = new HotCounter({
      name: "pointsman_queue_front_clients_left_total",
      help: "Clients that left before their answer.",
      registers,
    });
    this.#wait = new HotHistogram({
      name: "pointsman_queue_front_wait_seconds",
      help: "From a request's writing into its queue to its result: waiting and serving together, since results do not tell them apart.",
      buckets: waitBuckets,
      registers,
    });
    this.#duration = new HotHistogram({
      name: "pointsman_queue_front_duration_seconds",
      help: "From a request's head to its answer.",
      buckets: waitBuckets,
      registers,
    });
    this.#cancellations = new Counter({
      name: "pointsman_queue_front_cancellations_total",
      help: "Requests that were marked as cancelled: their time was over (`deadline`), their client left or asked for it (`caller`), or nobody knew whether Redis had taken them (`unconfirmed`).",
      labelNames: ["reason"] as const,
      registers,
    });
    this.#orphans = new Counter({
      name: "pointsman_queue_front_orphan_results_total",
      help: "Results that belonged to nobody and were dropped: nobody waited for them any more (`unknown`), they were another submission's (`token`), or could not be read (`malformed`).",
      labelNames: ["reason"] as const,
      registers,
    });
    this.#errors = new Counter({
      name: "pointsman_queue_front_redis_errors_total",
      help: "Commands that Redis did not carry out, by what they were for.",
      labelNames: ["operation"] as const,
      registers,
    });
    this.#removed = new Counter({
      name: "pointsman_queue_front_removed_instances_total",
      help: "Dead instances whose result lists this one removed.",
      registers,
    });
  }

  /** Reads what the front holds from `source` at each scrape. Call it once. */
  sample(source: QueueSample): void {
    this.#sample = source;
    const gauge = (name: string, help: string, value: () => number) =>
      registerSampledGauge(this.#registry, name, help, value);
    gauge("pointsman_queue_front_requests", "Requests of clients under way.", () => source.running);
    gauge("pointsman_queue_front_waiting", "Requests that wait for their results.", () => source.waiting);
    gauge("pointsman_queue_front_connected", "Whether Redis is connected.", () => (source.isConnected ? 1 : 0));
    const held = "Bytes of request bodies that the front holds.";
    gauge("pointsman_queue_front_held_body_bytes", held, () => source.heldBodyBytes);
    registerGauges(
      this.#registry,
      {
        name: "pointsman_queue_front_depth",
        help: "Requests in a queue when it was last looked at.",
        labels: ["queue"],
      },
      (add) => {
        for (const [queue, requests] of source.depths) add({ queue }, requests);
      },
    );
  }

  /** What the front holds at this moment; undefined where there is none. */
  get state(): QueueSample | undefined {
    return this.#sample;
  }

  received(path: string): void {
    this.#requests.inc({ path });
  }

  answered(path: string, status: number, sinceReceivedMs: number): void {
    this.#answers.inc({ path, status: String(status) });
    this.#duration.observe({}, Math.max(0, sinceReceivedMs) / 1_000);
  }

  resulted(waitMs: number): void {
    this.#wait.observe({}, Math.max(0, waitMs) / 1_000);
  }

  /** @param code one of few fixed words */
  refused(code: string): void {
    this.#refusals.inc({ code });
  }

  left(): void {
    this.#left.inc({});
  }

  cancelled(reason: string): void {
    this.#cancellations.inc({ reason });
  }

  orphaned(reason: string): void {
    this.#orphans.inc({ reason });
  }

  failed(operation: string): void {
    this.#errors.inc({ operation });
  }

  removed(instances: number): void {
    this.#removed.inc(instances);
  }
}
