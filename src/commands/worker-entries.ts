import type { Config, WorkerSettings } from "../config/index.ts";
import {
  type HandoverSettings,
  type ScoringCapability,
  type StaticWorkerEntry,
  staticWorkers,
  type WorkerSpec,
} from "../fleet/index.ts";

/** The configured workers, as the catalogue takes them. @throws RangeError naming entry and field */
export function configuredWorkers(config: Config): WorkerSpec[] {
  const { healthCheck } = config.fleet;
  const all = config.models.map(({ name }) => name);
  return staticWorkers(
    config.workers.map((worker) => entryOf(worker, healthCheck.enabled ? healthCheck.path : "", all)),
  );
}

/** @param all names of the configured models: what a worker without a list of its own serves */
function entryOf(worker: WorkerSettings, healthPath: string, all: readonly string[]): StaticWorkerEntry {
  const { name, endpoint, role, dpRankStart, dpSize, taints, labels, headers } = worker;
  return {
    name,
    endpoint,
    models: worker.models.length === 0 ? all : worker.models,
    role,
    dpRankStart,
    dpSize,
    taints,
    labels,
    healthPath,
    sendsDataParallelRank: headers.dataParallelRank,
    sendsPrefillHost: headers.prefillHost,
    ...(worker.handover === undefined ? {} : { handover: handoverOf(worker.handover) }),
    ...(worker.scoring === undefined ? {} : { scoring: scoringOf(worker.scoring) }),
    ...(worker.adapters === undefined ? {} : { adapters: worker.adapters }),
    ...(worker.id === undefined ? {} : { id: worker.id }),
    ...(worker.kvEvents === undefined ? {} : { kvEvents: worker.kvEvents }),
    ...(worker.kvReplay === undefined ? {} : { kvReplay: worker.kvReplay }),
    ...(worker.metricsEndpoint === undefined ? {} : { metricsEndpoint: worker.metricsEndpoint }),
    ...(worker.totalKvBlocks === undefined ? {} : { totalKvBlocks: worker.totalKvBlocks }),
  };
}

/** How a worker scores prompts, as the fleet takes it. */
export function scoringOf({ contextTokens, ...capability }: NonNullable<WorkerSettings["scoring"]>): ScoringCapability {
  return { ...capability, contextTokens };
}

/** How a worker takes part in split requests, as the fleet takes it. */
export function handoverOf(settings: NonNullable<WorkerSettings["handover"]>): HandoverSettings {
  const {
    protocol,
    bootstrapHost,
    bootstrapPort,
    engineId,
    handshakePort,
    notifyPort,
    tpSize,
    ignoredOn,
    servesAlone,
  } = settings;
  return {
    protocol,
    bootstrapHost,
    bootstrapPort,
    engineId,
    handshakePort,
    notifyPort,
    tpSize,
    ignoredOn: new Set(ignoredOn),
    servesAlone: servesAlone ?? protocol !== "sglang",
  };
}
