import type { Registry } from "prom-client";
import { registerSampledGauge } from "./sampled-gauge.ts";
import { registerTotals } from "./sampled-series.ts";

/** What is booked at the moment of a scrape. */
export interface ReservationSample {
  /** All of them: of streams and of callers, and both halves of pairs. */
  readonly booked: number;
  /** Those that callers of the route API hold. */
  readonly leases: number;
  /** How callers' reservations ended, since the start, by one of few fixed words. */
  readonly leaseEnds: Readonly<Record<string, number>>;
}

/** Registers what is known of reservations. @param sample asked at each scrape */
export function registerReservationMetrics(registry: Registry, sample: () => ReservationSample): void {
  const gauge = (name: string, help: string, value: () => number) => registerSampledGauge(registry, name, help, value);
  const booked = "Reservations: those of streams and of callers; a request that two workers share has two.";
  gauge("pointsman_reservations", booked, () => sample().booked);
  gauge("pointsman_leases", "Reservations that callers of the route API hold.", () => sample().leases);
  registerTotals(
    registry,
    {
      name: "pointsman_lease_ends_total",
      help: "Ended reservations of callers, by how: `released`, `expired` (no call named it during its lease), `worker_gone`.",
      labels: ["end"],
    },
    (add) => {
      for (const [end, count] of Object.entries(sample().leaseEnds)) add({ end }, count);
    },
  );
}
