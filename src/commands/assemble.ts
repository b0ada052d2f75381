import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import { Catalogue } from "../fleet/index.ts";
import type { JsonReader } from "../json/index.ts";
import { ChainHasher } from "../kv/index.ts";
import { type AdmissionQueue, LeaseTable, LoadTable, LoadView, type WaitEnd } from "../load/index.ts";
import { type PickOptions, resolvePickOptions, SessionTable } from "../pick/index.ts";
import {
  DecisionLog,
  type DisaggregationOptions,
  type Elsewhere,
  type ModelRegistry,
  Router,
  resolveDisaggregation,
  type SentPrompts,
} from "../router/index.ts";
import { admissionOptions, admissionQueue, busyThresholds } from "./admission.ts";
import { PromptLearner } from "./prompt-learner.ts";
import { ReservationIds, replicaName } from "./reservation-ids.ts";
import { SentPromptCheck } from "./sent-prompt-check.ts";
import { prepareOptions } from "./served-models.ts";
import { configuredWorkers } from "./worker-entries.ts";

/** The routing core of one process. */
export interface Core {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** The same with what engines report beyond it. */
  readonly view: LoadView;
  /** Reservations that callers own. */
  readonly leases: LeaseTable;
  /** Their ids. */
  readonly reservationIds: ReservationIds;
  /** The latest decisions. */
  readonly decisions: DecisionLog;
  /** Where requests wait for a worker; undefined when admission is off. */
  readonly queue: AdmissionQueue | undefined;
  readonly router: Router;
  /** Reads the bodies. */
  readonly json: JsonReader;
  readonly pick: Required<PickOptions>;
  /** Whether what is sent to workers turns up in their caches. */
  readonly sentPromptCheck: SentPromptCheck;
}

/** What the core works with. */
export interface CoreParts {
  readonly models: ModelRegistry;
  /** Uniform in [0,1). */
  readonly random: () => number;
  /** Reads the bodies. */
  readonly jsonReader: JsonReader;
  /** Prepares large requests; undefined: they are prepared here. */
  readonly elsewhere?: Elsewhere;
  /** Told of the end of each wait for a worker. */
  readonly waited?: (end: WaitEnd, waitedMs: number) => void;
}

/** Builds the core that the settings describe; opens no socket. */
export function assembleCore(config: Config, parts: CoreParts): Core {
  const { models, random, jsonReader, elsewhere } = parts;
  const clock = { now: () => performance.now() };
  const loads = new LoadTable(config.reservations);
  const view = new LoadView(loads, busyThresholds(config), clock, config.fleet.engineMetrics);
  const reservationIds = new ReservationIds(replicaName(config));
  const leases = new LeaseTable(config.reservations, clock, () => reservationIds.make());
  const catalogue = new Catalogue();
  catalogue.subscribe({
    onRemoved: ({ slot }) => {
      loads.removeSlot(slot);
      view.removeSlot(slot);
      leases.dropLost();
      for (const model of models.values()) model.index.clear(slot);
    },
    onSourceChanged: ({ slot }) => {
      for (const model of models.values()) model.index.clear(slot);
    },
  });
  catalogue.replaceAll(configuredWorkers(config));
  const { predictedTtlMs, unmatchedPromptMs } = config.kvEvents;
  const learner = new PromptLearner(
    { ...config.approximateIndex, predictedTtlMs },
    { clock, isPresent: (rank) => catalogue.rankAt(rank.slot) === rank, later: (callback) => setImmediate(callback) },
  );
  const sentPromptCheck = new SentPromptCheck(unmatchedPromptMs, clock);
  const queue = admissionQueue(config, { catalogue, loads }, parts.waited);
  const decisions = new DecisionLog(config.decisions, Date.now);
  const { maxFallbacks, refuseUnknownShapes: _shapes, maxJsonDepth: _depth, ...pick } = config.routing;
  const pickOptions = resolvePickOptions(pick);
  const router = new Router(
    {
      models,
      catalogue,
      loads,
      view,
      leases,
      sessions: new SessionTable(config.affinity, clock),
      random,
      sentPrompts: allOf(learner, sentPromptCheck),
      decisions,
      ...(queue === undefined ? {} : { queue }),
    },
    {
      ...prepareOptions(config),
      jsonReader,
      chainHasher: new ChainHasher(),
      ...(elsewhere === undefined ? {} : { elsewhere }),
      pick: pickOptions,
      disaggregation: disaggregationOf(config),
      affinity: config.affinity,
      admission: admissionOptions(config),
      maxFallbacks,
    },
  );
  return {
    models,
    catalogue,
    loads,
    view,
    leases,
    reservationIds,
    decisions,
    queue,
    router,
    json: jsonReader,
    pick: pickOptions,
    sentPromptCheck,
  };
}

function allOf(...listeners: readonly SentPrompts[]): SentPrompts {
  return {
    onSent: (rank, model, hashes) => {
      for (const listener of listeners) listener.onSent(rank, model, hashes);
    },
  };
}

function disaggregationOf({ disaggregation }: Config): Required<DisaggregationOptions> {
  const { topologyLabel, topology, crossDomainWeight, ...conditional } = disaggregation;
  return resolveDisaggregation({
    ...conditional,
    topology: { label: topologyLabel, enforcement: topology, crossDomainWeight },
  });
}
