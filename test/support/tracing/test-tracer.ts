import { type OtlpTracer, startTracing } from "../../../src/telemetry/index.ts";

type TracerOptions = Parameters<typeof startTracing>[0];
type TracerLog = Parameters<typeof startTracing>[1];

const silent: TracerLog = { info: () => undefined, warn: () => undefined };

/** A tracer that records every request and sends at once. */
export function testTracer(
  endpoint: string,
  options: Partial<TracerOptions> = {},
  log: TracerLog = silent,
): Promise<OtlpTracer> {
  const all = {
    endpoint,
    headers: {},
    ca: undefined,
    timeoutMs: 2_000,
    serviceName: "picker",
    serviceVersion: "1",
    instanceId: "i",
    sampleRatio: 1,
    maxTracesPerSecond: 1_000,
    maxSpans: 100,
    maxBatchSpans: 50,
    flushMs: 10,
    ...options,
  };
  return startTracing(all, log);
}
