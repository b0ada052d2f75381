import type { Registry } from "prom-client";
import { type LlmdNames, namesOf } from "./llmd-metrics.ts";
import type { EngineSample, RankSample } from "./sampled-metrics.ts";
import { registerGauges } from "./sampled-series.ts";

/**
 * The pool as a whole, by llm-d's names: each rank counts as one of its endpoints. Averages are over those whose engine reports, and there
 * are none where nobody does.
 */
export function registerLlmdPoolMetrics(
  registry: Registry,
  { names, pool }: { readonly names: LlmdNames; readonly pool: string },
  ranks: () => Iterable<RankSample>,
): void {
  const gauge = (name: string, help: string, value: () => number | undefined): void => {
    registerGauges(registry, { name, help, labels: ["name"] }, (add) => {
      const now = value();
      if (now !== undefined) add({ name: pool }, now);
    });
  };
  const figures = (of: (engine: EngineSample) => number | undefined) =>
    [...ranks()].flatMap(({ engine }) => (engine && of(engine)) ?? []);
  for (const { key, what, of } of engineFigures) {
    const average = { current: `llm_d_epp_average_${key}`, deprecated: `inference_pool_average_${key}` };
    for (const name of namesOf(average, names)) gauge(name, `Average of the ${what}.`, () => averageOf(figures(of)));
    if (names === "deprecated") continue;
    gauge(`llm_d_epp_std_dev_${key}`, `Standard deviation of the ${what}.`, () => deviationOf(figures(of)));
  }
  const ready = { current: "llm_d_epp_ready_endpoints", deprecated: "inference_pool_ready_pods" };
  for (const name of namesOf(ready, names)) {
    gauge(name, "Ranks that may be picked.", () => [...ranks()].filter(({ isEligible }) => isEligible).length);
  }
}

const engineFigures: readonly {
  readonly key: string;
  readonly what: string;
  readonly of: (engine: EngineSample) => number | undefined;
}[] = [
  { key: "kv_cache_utilization", what: "share of KV blocks in use", of: ({ kvUsage }) => kvUsage },
  { key: "queue_size", what: "requests that wait in an engine", of: ({ waitingRequests }) => waitingRequests },
  { key: "running_requests", what: "requests that run in an engine", of: ({ runningRequests }) => runningRequests },
];

function averageOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of the whole population, as llm-d's. */
function deviationOf(values: readonly number[]): number | undefined {
  const average = averageOf(values);
  if (average === undefined) return undefined;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length);
}
