import { Counter, type Registry } from "prom-client";
import { registerSampledGauge } from "./sampled-gauge.ts";

/** Told what happens at the console. */
export interface ConsoleMetrics {
  /** A request was refused; `reason` is one of few fixed words. */
  refused(reason: string): void;
}

/** Registers the metrics of the console. @param readers those of live states, read at each scrape */
export function registerConsoleMetrics(registry: Registry, readers: () => number): ConsoleMetrics {
  registerSampledGauge(registry, "pointsman_console_readers", "Readers of live states of the console.", readers);
  const refusals = new Counter({
    name: "pointsman_console_refusals_total",
    help: "Requests that the console refused: called by another name (`host`), from a page of another site (`other_site`), without a token (`token`), or beyond `admin.maxReaders` (`readers`).",
    labelNames: ["reason"] as const,
    registers: [registry],
  });
  return { refused: (reason) => refusals.inc({ reason }) };
}
