import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import { Catalogue } from "../fleet/index.ts";
import type { JsonReader } from "../json/index.ts";
import { ChainHasher } from "../kv/index.ts";
import { LeaseTable, LoadTable } from "../load/index.ts";
import { type PickOptions, resolvePickOptions, SessionTable } from "../pick/index.ts";
import {
  DecisionLog,
  type DisaggregationOptions,
  type Elsewhere,
  type ModelRegistry,
  Router,
  resolveDisaggregation,
} from "../router/index.ts";
import { PromptLearner } from "./prompt-learner.ts";
import { prepareOptions } from "./served-models.ts";
import { configuredWorkers } from "./worker-entries.ts";

/** The routing core of one process. */
export interface Core {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** Reservations that callers own. */
  readonly leases: LeaseTable;
  /** The latest decisions. */
  readonly decisions: DecisionLog;
  readonly router: Router;
  /** Reads the bodies. */
  readonly json: JsonReader;
  readonly pick: Required<PickOptions>;
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
}

/** Builds the core that the settings describe; opens no socket. */
export function assembleCore(config: Config, { models, random, jsonReader, elsewhere }: CoreParts): Core {
  const clock = { now: () => performance.now() };
  const loads = new LoadTable(config.reservations);
  const leases = new LeaseTable(config.reservations, clock, randomUUID);
  const catalogue = new Catalogue();
  catalogue.subscribe({
    onRemoved: ({ slot }) => {
      loads.removeSlot(slot);
      leases.dropLost();
      for (const model of models.values()) model.index.clear(slot);
    },
    onSourceChanged: ({ slot }) => {
      for (const model of models.values()) model.index.clear(slot);
    },
  });
  catalogue.replaceAll(configuredWorkers(config));
  const { predictedTtlMs } = config.kvEvents;
  const sentPrompts = new PromptLearner({ ...config.approximateIndex, predictedTtlMs }, clock);
  const decisions = new DecisionLog(config.decisions, Date.now);
  const { maxFallbacks, refuseUnknownShapes: _shapes, maxJsonDepth: _depth, ...pick } = config.routing;
  const pickOptions = resolvePickOptions(pick);
  const router = new Router(
    {
      models,
      catalogue,
      loads,
      leases,
      sessions: new SessionTable(config.affinity, clock),
      random,
      sentPrompts,
      decisions,
    },
    {
      ...prepareOptions(config),
      jsonReader,
      chainHasher: new ChainHasher(),
      ...(elsewhere === undefined ? {} : { elsewhere }),
      pick: pickOptions,
      disaggregation: disaggregationOf(config),
      affinity: config.affinity,
      maxFallbacks,
    },
  );
  return { models, catalogue, loads, leases, decisions, router, json: jsonReader, pick: pickOptions };
}

function disaggregationOf({ disaggregation }: Config): Required<DisaggregationOptions> {
  const { topologyLabel, topology, crossDomainWeight, ...conditional } = disaggregation;
  return resolveDisaggregation({
    ...conditional,
    topology: { label: topologyLabel, enforcement: topology, crossDomainWeight },
  });
}
