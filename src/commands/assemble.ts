import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import { Catalogue } from "../fleet/index.ts";
import { JsonReader } from "../json/index.ts";
import { LeaseTable, LoadTable } from "../load/index.ts";
import { resolvePickOptions, SessionTable } from "../pick/index.ts";
import { type DisaggregationOptions, type ModelRegistry, Router, resolveDisaggregation } from "../router/index.ts";
import { loadModels } from "./load-models.ts";
import { PromptLearner } from "./prompt-learner.ts";
import { configuredWorkers } from "./worker-entries.ts";

/** The routing core of one process. */
export interface Core {
  readonly models: ModelRegistry;
  readonly catalogue: Catalogue;
  readonly loads: LoadTable;
  /** Reservations that callers own. */
  readonly leases: LeaseTable;
  readonly router: Router;
}

/** Builds the core that the settings describe; opens no socket. Rejects when a model cannot be loaded. */
export async function assembleCore(config: Config, random: () => number): Promise<Core> {
  const models = await loadModels(config);
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
  });
  catalogue.replaceAll(configuredWorkers(config));
  const { predictedTtlMs } = config.kvEvents;
  const sentPrompts = new PromptLearner({ ...config.approximateIndex, predictedTtlMs }, clock);
  const { maxFallbacks, refuseUnknownShapes, maxJsonDepth, ...pick } = config.routing;
  const router = new Router(
    { models, catalogue, loads, leases, sessions: new SessionTable(config.affinity, clock), random, sentPrompts },
    {
      jsonReader: new JsonReader({ internedBytes: config.json.internedBytes }),
      pick: resolvePickOptions(pick),
      disaggregation: disaggregationOf(config),
      affinity: config.affinity,
      maxFallbacks,
      refuseUnknownShapes,
      maxJsonDepth,
      unknownModel: config.unknownModel,
    },
  );
  return { models, catalogue, loads, leases, router };
}

function disaggregationOf({ disaggregation }: Config): Required<DisaggregationOptions> {
  const { topologyLabel, topology, crossDomainWeight, ...conditional } = disaggregation;
  return resolveDisaggregation({
    ...conditional,
    topology: { label: topologyLabel, enforcement: topology, crossDomainWeight },
  });
}
