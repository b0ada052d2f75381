import { performance } from "node:perf_hooks";
import { type LineLog, RareLog } from "../rare-log.ts";
import type { OtlpTracer, OtlpTracerOptions } from "./otlp-tracer.ts";

/** Begins to make traces. OpenTelemetry is loaded here, and nowhere else: a picker without traces does not know it. */
export async function startTracing(options: OtlpTracerOptions, log: LineLog): Promise<OtlpTracer> {
  const { OtlpTracer: Tracer } = await import("./otlp-tracer.ts");
  return new Tracer(options, new RareLog(log, { now: () => performance.now() }));
}
