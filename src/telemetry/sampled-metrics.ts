import type { Registry } from "prom-client";
import { type ModelSample, registerIndexMetrics } from "./index-metrics.ts";
import { type ReservationSample, registerReservationMetrics } from "./reservation-metrics.ts";
import { registerSampledGauge } from "./sampled-gauge.ts";
import { registerGauges, registerTotals } from "./sampled-series.ts";

/** A worker's rank at the moment of a scrape. Totals count from the start of the process. */
export interface RankSample {
  readonly worker: string;
  readonly dpRank: number;
  /** May be picked: neither unhealthy nor draining. */
  readonly isEligible: boolean;
  readonly activeRequests: number;
  readonly activePrefillTokens: number;
  readonly activeDecodeBlocks: number;
  /** What its engine reports beyond that; absent where it reports nothing. */
  readonly foreign?: ForeignSample | undefined;
  /** What its engine reports; absent where it reports nothing. */
  readonly engine?: EngineSample | undefined;
  /** What other replicas have booked on it; absent where load is not shared. */
  readonly siblings?: SiblingSample | undefined;
  /** What is wrong with its settings, by one of few fixed names. */
  readonly problems?: readonly { readonly kind: string }[];
  /** Absent where no KV events are followed. */
  readonly kvEvents?: KvEventSample | undefined;
}

/** Load that an engine reports and that nobody booked here. */
export interface ForeignSample {
  readonly requests: number;
  readonly decodeBlocks: number;
  readonly ageMs: number;
}

/** What an engine reports of itself; undefined what it leaves out. */
export interface EngineSample {
  readonly runningRequests: number | undefined;
  readonly waitingRequests: number | undefined;
  /** In [0,1]. */
  readonly kvUsage: number | undefined;
}

/** What other replicas have booked on a rank. */
export interface SiblingSample {
  readonly requests: number;
  readonly prefillTokens: number;
  readonly decodeBlocks: number;
}

/** What came of a rank's KV events. */
export interface KvEventSample {
  readonly applied: number;
  /** Events left out, by one of few fixed reasons. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Gaps in the sequence numbers. */
  readonly gaps: number;
  /** Times that the rank's blocks were forgotten because a gap could not be repaired. */
  readonly resets: number;
  /** Undefined before the first event. */
  readonly lastEventAgeMs: number | undefined;
  /** What is wrong at present, by one of few fixed names. */
  readonly problems: readonly { readonly kind: string }[];
}

/** Asked at each scrape; a worker or model that is not listed has no series then. */
export interface SampleSource {
  ranks(): Iterable<RankSample>;
  models(): Iterable<ModelSample>;
  reservations(): ReservationSample;
  /** Requests that wait for a worker that is not too busy. */
  readonly queued: number;
  /** Sessions that are remembered. */
  readonly sessions: number;
}

const rankLabels = ["worker", "dp_rank"] as const;

/** Registers the gauges and totals that are read from `source` at each scrape. */
export function registerSampledMetrics(registry: Registry, source: SampleSource): void {
  registerLoadGauges(registry, source);
  registerWorkerProblems(registry, source);
  registerEventTotals(registry, source);
  registerReservationMetrics(registry, () => source.reservations());
  registerCounts(registry, source);
  registerForeign(registry, source);
  registerEngines(registry, source);
  registerSiblings(registry, source);
  registerIndexMetrics(registry, () => source.models());
}

function registerCounts(registry: Registry, source: SampleSource): void {
  const gauge = (name: string, help: string, value: () => number) => registerSampledGauge(registry, name, help, value);
  gauge("pointsman_queued_requests", "Requests that wait because all workers are too busy.", () => source.queued);
  gauge("pointsman_sessions", "Sessions whose worker is remembered (`affinity`).", () => source.sessions);
  gauge("pointsman_ready_ranks", "Ranks of workers that may be picked; there without workers, too.", () => {
    let ready = 0;
    for (const { isEligible } of source.ranks()) if (isEligible) ready++;
    return ready;
  });
}

function registerForeign(registry: Registry, source: SampleSource): void {
  const gauge = (name: string, help: string, value: (foreign: ForeignSample) => number) =>
    registerRankGauge(registry, source, { name, help }, ({ foreign }) => foreign && value(foreign));
  gauge(
    "pointsman_engine_foreign_requests",
    "Requests that the rank's engine reports and that did not come through here.",
    ({ requests }) => requests,
  );
  gauge(
    "pointsman_engine_foreign_decode_blocks",
    "KV blocks that the rank's engine reports and that nobody booked here.",
    ({ decodeBlocks }) => decodeBlocks,
  );
  gauge("pointsman_engine_report_age_seconds", "Age of the engine's figures.", ({ ageMs }) => ageMs / 1000);
}

function registerEngines(registry: Registry, source: SampleSource): void {
  const gauge = (name: string, help: string, value: (engine: EngineSample) => number | undefined) =>
    registerRankGauge(registry, source, { name, help }, ({ engine }) => engine && value(engine));
  const running = "Requests that run in the rank's engine, as it reports.";
  gauge("pointsman_engine_running_requests", running, ({ runningRequests }) => runningRequests);
  const waiting = "Requests that wait in the rank's engine, as it reports.";
  gauge("pointsman_engine_waiting_requests", waiting, ({ waitingRequests }) => waitingRequests);
  const usage = "Share of its KV blocks that the rank's engine has in use, 0 to 1, as it reports.";
  gauge("pointsman_engine_kv_usage_ratio", usage, ({ kvUsage }) => kvUsage);
}

function registerSiblings(registry: Registry, source: SampleSource): void {
  const gauge = (name: string, help: string, value: (siblings: SiblingSample) => number) =>
    registerRankGauge(registry, source, { name, help }, ({ siblings }) => siblings && value(siblings));
  gauge(
    "pointsman_replica_worker_requests",
    "Requests that run on the rank, as other replicas have booked them.",
    ({ requests }) => requests,
  );
  gauge(
    "pointsman_replica_worker_prefill_tokens",
    "Prompt tokens that the rank has yet to prefill, as other replicas have booked them.",
    ({ prefillTokens }) => prefillTokens,
  );
  gauge(
    "pointsman_replica_worker_decode_blocks",
    "KV blocks that running requests hold on the rank, as other replicas have booked them.",
    ({ decodeBlocks }) => decodeBlocks,
  );
}

/** @param value undefined = the rank has no series */
function registerRankGauge(
  registry: Registry,
  source: SampleSource,
  { name, help }: { readonly name: string; readonly help: string },
  value: (sample: RankSample) => number | undefined,
): void {
  registerGauges(registry, { name, help, labels: rankLabels }, (add) => {
    for (const sample of source.ranks()) {
      const now = value(sample);
      if (now !== undefined) add(labelsOf(sample), now);
    }
  });
}

function registerLoadGauges(registry: Registry, source: SampleSource): void {
  const gauge = (name: string, help: string, value: (sample: RankSample) => number) =>
    registerRankGauge(registry, source, { name, help }, value);
  gauge("pointsman_worker_eligible", "1 when the rank may be picked, else 0.", (rank) => (rank.isEligible ? 1 : 0));
  gauge("pointsman_worker_active_requests", "Requests that run on the rank, as booked.", (rank) => rank.activeRequests);
  gauge(
    "pointsman_worker_active_prefill_tokens",
    "Prompt tokens that the rank has yet to prefill, as booked.",
    (rank) => rank.activePrefillTokens,
  );
  gauge(
    "pointsman_worker_active_decode_blocks",
    "KV blocks that running requests hold on the rank, as booked.",
    (rank) => rank.activeDecodeBlocks,
  );
}

function registerWorkerProblems(registry: Registry, source: SampleSource): void {
  const problem = {
    name: "pointsman_worker_problem",
    help: "1 for each thing that is wrong with how a worker is set up; no series for what is not.",
    labels: [...rankLabels, "problem"] as const,
  };
  registerGauges(registry, problem, (add) => {
    for (const sample of source.ranks()) {
      for (const { kind } of sample.problems ?? []) add({ ...labelsOf(sample), problem: kind }, 1);
    }
  });
}

function registerEventTotals(registry: Registry, source: SampleSource): void {
  const total = (name: string, help: string, value: (events: KvEventSample) => number): void => {
    registerTotals(registry, { name, help, labels: rankLabels }, (add) => {
      for (const [labels, events] of followedRanks(source)) add(labels, value(events));
    });
  };
  total("pointsman_kv_events_applied_total", "KV events that changed the index.", (events) => events.applied);
  total("pointsman_kv_event_gaps_total", "Gaps in a rank's event sequence.", (events) => events.gaps);
  total(
    "pointsman_kv_event_resets_total",
    "Times a rank's blocks were forgotten for a gap.",
    (events) => events.resets,
  );
  registerDropped(registry, source);
  registerProblems(registry, source);
  registerEventAge(registry, source);
}

function registerDropped(registry: Registry, source: SampleSource): void {
  const dropped = {
    name: "pointsman_kv_events_dropped_total",
    help: "KV events left out, by the reason.",
    labels: [...rankLabels, "reason"] as const,
  };
  registerTotals(registry, dropped, (add) => {
    for (const [labels, events] of followedRanks(source)) {
      for (const [reason, count] of Object.entries(events.dropped)) add({ ...labels, reason }, count);
    }
  });
}

function registerProblems(registry: Registry, source: SampleSource): void {
  const problem = {
    name: "pointsman_kv_event_problem",
    help: "1 for each thing that is wrong with a rank's KV events at present; no series for what is not.",
    labels: [...rankLabels, "problem"] as const,
  };
  registerGauges(registry, problem, (add) => {
    for (const [labels, { problems }] of followedRanks(source)) {
      for (const { kind } of problems) add({ ...labels, problem: kind }, 1);
    }
  });
}

function registerEventAge(registry: Registry, source: SampleSource): void {
  const age = {
    name: "pointsman_kv_event_age_seconds",
    help: "Time since the rank's last KV event; no series before the first.",
    labels: rankLabels,
  };
  registerGauges(registry, age, (add) => {
    for (const [labels, { lastEventAgeMs }] of followedRanks(source)) {
      if (lastEventAgeMs !== undefined) add(labels, lastEventAgeMs / 1000);
    }
  });
}

interface RankLabels {
  readonly worker: string;
  readonly dp_rank: number;
}

function* followedRanks(source: SampleSource): Generator<readonly [RankLabels, KvEventSample]> {
  for (const sample of source.ranks()) {
    if (sample.kvEvents !== undefined) yield [labelsOf(sample), sample.kvEvents];
  }
}

function labelsOf({ worker, dpRank }: RankSample): RankLabels {
  return { worker, dp_rank: dpRank };
}
