import type { Registry } from "prom-client";
import { registerSampledGauge } from "./sampled-gauge.ts";
import { registerTotals } from "./sampled-series.ts";

/** What is known of other replicas at the moment of a scrape. Totals count from the start of the process. */
export interface ReplicaSample {
  /** Messages can be exchanged. */
  readonly isConnected: boolean;
  /** Another replica has this one's name. */
  readonly isNameShared: boolean;
  /** Replicas whose load counts. */
  readonly siblings: number;
  /** Messages that this replica sent. */
  readonly published: number;
  /** Those that it could not send. */
  readonly failed: number;
  /** Messages of others that came. */
  readonly received: number;
  /** Those that were lost on the way. */
  readonly missed: number;
  /** Sessions of which others were told where they are served, and those learned from others. */
  readonly sessions: { readonly told: number; readonly learned: number };
  /** Messages passed over, by one of few fixed reasons. */
  readonly dropped: Iterable<readonly [reason: string, count: number]>;
}

/** Asked at each scrape. */
export type ReplicaSource = () => ReplicaSample;

/** Registers what is read from `source` at each scrape. */
export function registerReplicaMetrics(registry: Registry, source: ReplicaSource): void {
  const gauge = (name: string, help: string, value: (sample: ReplicaSample) => number): void => {
    registerSampledGauge(registry, name, help, () => value(source()));
  };
  gauge(
    "pointsman_replica_connected",
    "1 while this replica can tell others its load through Redis, else 0.",
    ({ isConnected }) => (isConnected ? 1 : 0),
  );
  gauge("pointsman_replica_siblings", "Other replicas whose load counts.", ({ siblings }) => siblings);
  gauge(
    "pointsman_replica_name_shared",
    "1 while another replica that is heard has the name of this one (`replicas.id`), else 0.",
    ({ isNameShared }) => (isNameShared ? 1 : 0),
  );
  registerOutcomes(registry, source);
}

function registerOutcomes(registry: Registry, source: ReplicaSource): void {
  registerTotals(
    registry,
    {
      name: "pointsman_replica_messages_total",
      help: "Messages between replicas: `published` and `failed` ones of this one, `received` and `missed` ones of others.",
      labels: ["outcome"],
    },
    (add) => {
      const sample = source();
      for (const outcome of ["published", "failed", "received", "missed"] as const) {
        add({ outcome }, sample[outcome]);
      }
    },
  );
  registerTotals(
    registry,
    {
      name: "pointsman_replica_sessions_total",
      help: "Times that a session's worker was told to other replicas (`told`), or learned from them (`learned`).",
      labels: ["outcome"],
    },
    (add) => {
      const { told, learned } = source().sessions;
      add({ outcome: "told" }, told);
      add({ outcome: "learned" }, learned);
    },
  );
  registerTotals(
    registry,
    {
      name: "pointsman_replica_dropped_messages_total",
      help: "Messages of the replicas' channels that were passed over, by the reason.",
      labels: ["reason"],
    },
    (add) => {
      for (const [reason, count] of source().dropped) add({ reason }, count);
    },
  );
}
