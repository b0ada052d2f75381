import type { Registry } from "prom-client";
import { registerGauges, registerTotals } from "./sampled-series.ts";

/** The start-up recovery of the index from a peer. */
export interface RecoverySample {
  /** One of few fixed names. */
  readonly state: string;
  readonly blocks: number;
  readonly tookMs: number;
  /** By one of few fixed outcomes. */
  readonly attempts: ReadonlyMap<string, number>;
}

/** Asked at each scrape. */
export type RecoverySource = () => RecoverySample;

/** Registers what tells of the start-up recovery from a peer. */
export function registerRecoveryMetrics(registry: Registry, sample: RecoverySource): void {
  const gauge = (name: string, help: string, value: (recovery: RecoverySample) => number): void => {
    registerGauges(registry, { name, help, labels: ["state"] }, (add) => {
      const recovery = sample();
      add({ state: recovery.state }, value(recovery));
    });
  };
  gauge(
    "pointsman_recovery_seconds",
    "Time that fetching the index from a peer took, or has taken by now; the label tells how far it is, or how it ended.",
    ({ tookMs }) => tookMs / 1_000,
  );
  gauge("pointsman_recovered_blocks", "Blocks that were fetched from a peer at the start.", ({ blocks }) => blocks);
  registerTotals(
    registry,
    {
      name: "pointsman_recovery_attempts_total",
      help: "Attempts to fetch the index from a peer, by how they ended.",
      labels: ["outcome"],
    },
    (add) => {
      for (const [outcome, count] of sample().attempts) add({ outcome }, count);
    },
  );
}
