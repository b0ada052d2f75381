import type { Registry } from "prom-client";
import { registerTotals } from "./sampled-series.ts";

/** Requests of the recorded trace. Totals count from the start of the process. */
export interface RecorderSample {
  readonly recorded: number;
  /** Left out since the file was full or the disk slow. */
  readonly dropped: number;
}

/** Registers what is read from `sample`, which is kept up to date, at each scrape. */
export function registerRecorderMetrics(registry: Registry, sample: RecorderSample): void {
  registerTotals(
    registry,
    {
      name: "pointsman_recorded_requests_total",
      help: "Requests of the trace that is recorded (`recorder.file`): `recorded`, and those `dropped` since the file was full or the disk slow.",
      labels: ["outcome"],
    },
    (add) => {
      add({ outcome: "recorded" }, sample.recorded);
      add({ outcome: "dropped" }, sample.dropped);
    },
  );
}
