import type { Registry } from "prom-client";
import { registerGauges, registerTotals } from "./sampled-series.ts";

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
    registerAll: typeof registerGauges<"model">,
    name: string,
    help: string,
    value: (sample: ModelSample) => number,
  ): void => {
    registerAll(registry, { name, help, labels: ["model"] }, (add) => {
      for (const sample of models()) add({ model: sample.model }, value(sample));
    });
  };
  const blocks = "Blocks in the prefix index, by model, as many times as workers hold them.";
  register(registerGauges, "pointsman_index_blocks", blocks, (model) => model.indexBlocks);
  const most = "Most blocks that the prefix index takes; then the oldest are forgotten.";
  register(registerGauges, "pointsman_index_max_blocks", most, (model) => model.maxIndexBlocks);
  const waiting = "Blocks that KV events told of before the block that they follow.";
  register(registerGauges, "pointsman_index_waiting_blocks", waiting, (model) => model.waitingBlocks);
  register(
    registerGauges,
    "pointsman_index_bytes",
    "Memory of the prefix index, by model.",
    (model) => model.indexBytes,
  );
  const evicted = "Blocks that the prefix index forgot because it was full, by model.";
  register(registerTotals, "pointsman_index_evicted_blocks_total", evicted, (model) => model.evictedBlocks);
  const refused = "Blocks that the prefix index did not take because it was full and nothing could be forgotten.";
  register(registerTotals, "pointsman_index_refused_blocks_total", refused, (model) => model.refusedBlocks);
}
