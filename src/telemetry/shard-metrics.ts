import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type ConsoleMetrics, registerConsoleMetrics } from "./console-metrics.ts";

/** A shard at the moment of a scrape. */
export interface ShardSample {
  readonly shard: string;
  readonly isReady: boolean;
  /** Whether its metrics are on the page. */
  readonly isTold: boolean;
  /** Times that it was started again. */
  readonly restarts: number;
}

/** Registers what is known of the shards. @param shards asked at each scrape */
export function registerShardMetrics(registry: Registry, shards: () => Iterable<ShardSample>): void {
  const register = (
    Metric: typeof Gauge<"shard"> | typeof Counter<"shard">,
    name: string,
    help: string,
    value: (sample: ShardSample) => number,
  ): void => {
    const series = new Metric({
      name,
      help,
      labelNames: ["shard"] as const,
      registers: [registry],
      collect(): void {
        series.reset();
        for (const sample of shards()) series.inc({ shard: sample.shard }, value(sample));
      },
    });
  };
  const ready = "1 when the shard picks, 0 while it starts or is gone.";
  register(Gauge, "pointsman_shard_ready", ready, ({ isReady }) => (isReady ? 1 : 0));
  const told = "1 when the shard's metrics are on this page.";
  register(Gauge, "pointsman_shard_told", told, ({ isTold }) => (isTold ? 1 : 0));
  const restarts = "Times that the shard ended by itself and was started again.";
  register(Counter, "pointsman_shard_restarts_total", restarts, (sample) => sample.restarts);
}

/** The metrics of the process that keeps the shards: of these, and what Node tells of it. */
export class ShardMetrics {
  readonly #registry = new Registry();

  constructor(shards: () => Iterable<ShardSample>) {
    registerShardMetrics(this.#registry, shards);
    collectDefaultMetrics({ register: this.#registry });
  }

  /** As `Metrics.sampleConsole`. */
  sampleConsole(readers: () => number): ConsoleMetrics {
    return registerConsoleMetrics(this.#registry, readers);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
