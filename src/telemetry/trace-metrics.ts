import type { Registry } from "prom-client";
import { registerTotals } from "./sampled-series.ts";
import type { SpanCounts } from "./tracing/span-queue.ts";

/** Registers what became of the spans of traces. @param counts asked at each scrape */
export function registerTraceMetrics(registry: Registry, counts: () => SpanCounts): void {
  registerTotals(
    registry,
    {
      name: "pointsman_trace_spans_total",
      help: "Spans of traces: taken by the collector (`sent`), not taken (`failed`), or left out because too many waited (`dropped`).",
      labels: ["outcome"],
    },
    (add) => {
      for (const [outcome, count] of Object.entries(counts())) add({ outcome }, count);
    },
  );
}
