import { Counter, type Registry } from "prom-client";
import type { SpanCounts } from "./tracing/span-queue.ts";

/** Registers what became of the spans of traces. @param counts asked at each scrape */
export function registerTraceMetrics(registry: Registry, counts: () => SpanCounts): void {
  const spans = new Counter({
    name: "pointsman_trace_spans_total",
    help: "Spans of traces: taken by the collector (`sent`), not taken (`failed`), or left out because too many waited (`dropped`).",
    labelNames: ["outcome"] as const,
    registers: [registry],
    collect(): void {
      spans.reset();
      for (const [outcome, count] of Object.entries(counts())) spans.inc({ outcome }, count);
    },
  });
}
