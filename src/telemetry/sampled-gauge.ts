import { Gauge, type Registry } from "prom-client";

/** Registers a gauge whose value is asked for at each scrape. */
export function registerSampledGauge(registry: Registry, name: string, help: string, value: () => number): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect(): void {
      gauge.set(value());
    },
  });
}
