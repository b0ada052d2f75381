import { Counter, Gauge, type Registry } from "prom-client";

/** A configured model at the moment of a scrape. */
export interface ModelSample {
  readonly model: string;
  /** Blocks in the prefix index, as many times as workers hold them. */
  readonly indexBlocks: number;
  /** Most of them. */
  readonly maxIndexBlocks: number;
  /** Blocks that wait for the block before them. */
  readonly waitingBlocks: number;
  /** Memory of the prefix index, bytes. */
  readonly indexBytes: number;
  /** Blocks forgotten because the index was full. */
  readonly evictedBlocks: number;
  /** Blocks not stored because it was full and nothing could be forgotten. */
  readonly refusedBlocks: number;
}

/** Registers what is known of the prefix indexes. @param models asked at each scrape */
export function registerIndexMetrics(registry: Registry, models: () => Iterable<ModelSample>): void {
  const register = (
    Metric: typeof Gauge<"model"> | typeof Counter<"model">,
    name: string,
    help: string,
    value: (sample: ModelSample) => number,
  ): void => {
    const series = new Metric({
      name,
      help,
      labelNames: ["model"] as const,
      registers: [registry],
      collect(): void {
        series.reset();
        for (const sample of models()) series.inc({ model: sample.model }, value(sample));
      },
    });
  };
  const blocks = "Blocks in the prefix index, by model, as many times as workers hold them.";
  register(Gauge, "pointsman_index_blocks", blocks, (model) => model.indexBlocks);
  const most = "Most blocks that the prefix index takes; then the oldest are forgotten.";
  register(Gauge, "pointsman_index_max_blocks", most, (model) => model.maxIndexBlocks);
  const waiting = "Blocks that KV events told of before the block that they follow.";
  register(Gauge, "pointsman_index_waiting_blocks", waiting, (model) => model.waitingBlocks);
  register(Gauge, "pointsman_index_bytes", "Memory of the prefix index, by model.", (model) => model.indexBytes);
  const evicted = "Blocks that the prefix index forgot because it was full, by model.";
  register(Counter, "pointsman_index_evicted_blocks_total", evicted, (model) => model.evictedBlocks);
  const refused = "Blocks that the prefix index did not take because it was full and nothing could be forgotten.";
  register(Counter, "pointsman_index_refused_blocks_total", refused, (model) => model.refusedBlocks);
}
