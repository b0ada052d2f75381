import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import { Catalogue } from "../fleet/index.ts";
import type { JsonReader } from "../json/index.ts";
import { ChainHasher } from "../kv/index.ts";
import { type AdmissionQueue, LeaseTable, LoadTable, LoadView, SiblingLoads, type WaitEnd } from "../load/index.ts";
import { type PickOptions, SessionTable } from "../pick/index.ts";
import {
  DecisionLog,
  type DisaggregationOptions,
  type Elsewhere,
  type ModelRegistry,
  type ModelRewriteRule,
  ModelRewrites,
  type Objectives,
  Router,
  resolveDisaggregation,
  type SentPrompts,
} from "../router/index.ts";
import { admissionQueue, busyThresholds, objectivesOf } from "./admission.ts";
import { NewsOwed } from "./news-owed.ts";
import { pickOptionsOf } from "./pick-options.ts";
import { PromptLearner } from "./prompt-learner.ts";
import { ReservationIds, replicaName } from "./reservation-ids.ts";
import { SentPromptCheck } from "./sent-prompt-check.ts";
import { prepareOptions } from "./served-models.ts";
import { isSharingSessions, sharedSessionKey } from "./shared-sessions.ts";
import { configuredWorkers } from "./worker-entries.ts";

/** The routing core of one process. */
export interface Core {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** What other replicas have booked. */
  readonly siblings: SiblingLoads;
  /** Both, with what engines report beyond them. */
  readonly view: LoadView;
  /** Where sessions were served. */
  readonly sessions: SessionTable;
  /** Reservations that callers own. */
  readonly leases: LeaseTable;
  /** Their ids. */
  readonly reservationIds: ReservationIds;
  /** The latest decisions. */
  readonly decisions: DecisionLog;
  /** Where requests wait for a worker; undefined when admission is off. */
  readonly queue: AdmissionQueue | undefined;
  readonly router: Router;
  /** Who goes first. */
  readonly objectives: Objectives;
  /** Under which names models go on. */
  readonly rewrites: ModelRewrites;
  /** Reads the bodies. */
  readonly json: JsonReader;
  readonly pick: Required<PickOptions>;
  /** Whether what is sent to workers turns up in their caches. */
  readonly newsOwed: NewsOwed;
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
  const siblings = new SiblingLoads();
  const view = new LoadView(loads, busyThresholds(config), clock, config.fleet.engineMetrics, siblings);
  const reservationIds = new ReservationIds(replicaName(config));
  const leases = new LeaseTable(config.reservations, clock, () => reservationIds.make());
  const catalogue = new Catalogue();
  forgetWithRanks(catalogue, { loads, siblings, view, leases, models });
  catalogue.replaceAll(configuredWorkers(config));
  const { predictedTtlMs, unmatchedPromptMs } = config.kvEvents;
  const learner = new PromptLearner({ ...config.approximateIndex, predictedTtlMs }, clock);
  const newsOwed = new NewsOwed(clock);
  const sentPromptCheck = new SentPromptCheck(unmatchedPromptMs, clock);
  const sessions = new SessionTable(config.affinity, clock, isSharingSessions(config) ? sharedSessionKey : undefined);
  const queue = admissionQueue(config, { catalogue, loads, siblings }, parts.waited);
  const decisions = new DecisionLog(config.decisions, Date.now);
  const pickOptions = pickOptionsOf(config);
  const objectives = objectivesOf(config);
  const router = new Router(
    {
      models,
      catalogue,
      loads,
      view,
      leases,
      sessions,
      random,
      sentPrompts: allOf(learner, newsOwed, sentPromptCheck),
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
      admission: { priorities: objectives },
      maxFallbacks: config.routing.maxFallbacks,
    },
  );
  return {
    models,
    catalogue,
    loads,
    siblings,
    view,
    sessions,
    leases,
    reservationIds,
    decisions,
    queue,
    router,
    objectives,
    rewrites: new ModelRewrites(config.modelRewrites.map(rewriteRuleOf), random),
    json: jsonReader,
    pick: pickOptions,
    newsOwed,
    sentPromptCheck,
  };
}

/** What is known of a rank goes with it. */
function forgetWithRanks(
  catalogue: Catalogue,
  { loads, siblings, view, leases, models }: Pick<Core, "loads" | "siblings" | "view" | "leases" | "models">,
): void {
  catalogue.subscribe({
    onRemoved: ({ slot }) => {
      loads.removeSlot(slot);
      siblings.removeSlot(slot);
      view.removeSlot(slot);
      leases.dropLost();
      for (const model of models.values()) model.index.clear(slot);
    },
    onSourceChanged: ({ slot }) => {
      for (const model of models.values()) model.index.clear(slot);
    },
  });
}

function allOf(...listeners: readonly SentPrompts[]): SentPrompts {
  return {
    onSent: (rank, model, hashes) => {
      for (const listener of listeners) listener.onSent(rank, model, hashes);
    },
  };
}

function rewriteRuleOf({ models, targets }: Config["modelRewrites"][number]): ModelRewriteRule {
  return {
    models: models.length === 0 ? undefined : models,
    targets: targets.map(({ model, weight }) => ({ model, weight })),
  };
}

function disaggregationOf({ disaggregation }: Config): Required<DisaggregationOptions> {
  const { topologyLabel, topology, crossDomainWeight, ...conditional } = disaggregation;
  return resolveDisaggregation({
    ...conditional,
    topology: { label: topologyLabel, enforcement: topology, crossDomainWeight },
  });
}
