import { canonicalEndpoint, formatEndpoint } from "../endpoint.ts";
import type { HandoverSettings } from "../handover.ts";
import type { KvEventSource, WorkerId, WorkerSpec } from "../worker.ts";
import { workerIdFromName } from "../worker-id.ts";
import { isPort } from "./fields.ts";
import { type Pod, portNamed, restartsBehind } from "./pod.ts";
import { type PodDefaults, type PodSettings, type RefusedSetting, settingPrefix, settingsOf } from "./pod-settings.ts";
import type { PoolSpec } from "./pool.ts";

/** What a pod's workers depend on beside the pod. */
export interface PodWorkersContext {
  readonly pool: PoolSpec;
  readonly defaults: PodDefaults;
  /** Path of the health check; undefined = pods are not probed: their own readiness counts. */
  readonly healthPath: string | undefined;
  readonly models: FleetModels;
}

/** The configured models, as pods name them. */
export interface FleetModels {
  /** The model of a name or another name of it; undefined = none. */
  named(name: string): FleetModel | undefined;
  /** Names of all. */
  readonly all: readonly string[];
}

export interface FleetModel {
  readonly name: string;
  readonly blockSize: number;
  readonly profile: string;
  /** Names of its LoRA adapters. */
  readonly adapters: readonly string[];
}

/** Annotations that say which of the pool's ports of a pod are in use; the first that is there counts. */
const activePortKeys = ["llm-d.ai/active-ports", "inference.networking.k8s.io/active-ports"];

/** A label that some deployments put the model's name into. */
const modelLabel = "llm-d.ai/model";

const maxWorkerId = 2n ** 64n - 1n;

/**
 * The workers that a pod is: one for each port of the pool that it uses. The i-th port of the pool serves the data-parallel ranks from
 * i times their number on, as engines do that give each rank a port of its own.
 * @returns none for a pod without an address
 */
export function workersOfPod(pod: Pod, context: PodWorkersContext, refused: RefusedSetting): WorkerSpec[] {
  if (pod.ip === undefined) return [];
  const settings = settingsOf(pod, context.defaults, refused);
  const active = activePorts(pod, refused);
  const ports = context.pool.targetPorts.map((port) => portNamed(pod, port));
  return ports.flatMap((port, i) => {
    if (port === undefined) {
      refused("targetPorts", String(context.pool.targetPorts[i]), "a port that a container of the pod has");
      return [];
    }
    // Two names may be of one port: as another worker it would have the same id, or be asked twice as often.
    if (ports.indexOf(port) < i) {
      refused("targetPorts", String(context.pool.targetPorts[i]), "another port than those before it");
      return [];
    }
    if (active !== undefined && !active.has(port)) return [];
    const spec = workerAt(pod, settings, { port, index: i, count: ports.length }, context, refused);
    return spec === undefined ? [] : [spec];
  });
}

/** One of the ports of a pool. */
interface PoolPort {
  readonly port: number;
  readonly index: number;
  readonly count: number;
}

function workerAt(
  pod: Pod,
  settings: PodSettings,
  place: PoolPort,
  context: PodWorkersContext,
  refused: RefusedSetting,
): WorkerSpec | undefined {
  const { port, index, count } = place;
  const endpoint = addressAt(pod, port);
  if (endpoint === undefined) return undefined;
  const models = modelsOf(pod, settings, context.models, refused);
  const dpRankStart = settings.dpRankStart + index * settings.dpSize;
  const restarts = restartsBehind(pod, port);
  const metricsPort = portOf(pod, settings.metricsPort, "metrics-port", refused);
  const fits = fitsModels(settings, models, context.models, refused);
  return {
    id: idOf(pod, settings, place),
    // A process that was started again in its pod has an empty cache.
    incarnation: restarts === 0 ? pod.uid : `${pod.uid}/${restarts}`,
    name: count === 1 ? pod.name : `${pod.name}-rank-${index}`,
    endpoint,
    role: settings.role,
    models,
    adapters: adaptersOf(settings, models, context.models, refused),
    dpRankStart,
    dpSize: settings.dpSize,
    kvEvents: fits ? eventSources(pod, settings, dpRankStart, refused) : [],
    totalKvBlocks: settings.totalKvBlocks,
    taints: new Set(settings.taints),
    labels: pod.labels,
    headers: settings.headers,
    metricsEndpoint: metricsPort === undefined ? undefined : addressAt(pod, metricsPort + index),
    handover: handoverOf(pod, settings, refused),
    scoring: settings.role === "aggregated" ? settings.scoring : undefined,
    healthPath: context.pool.isH2c ? undefined : context.healthPath,
  };
}

/** `ip:port` of a pod, in canonical form; undefined for a port that is none. */
function addressAt({ ip = "" }: Pod, port: number): string | undefined {
  return canonicalEndpoint(formatEndpoint({ host: ip, port }));
}

/** Dynamo's id for the pod's first port; what follows has names that no pod can have. */
function idOf(pod: Pod, { workerId }: PodSettings, { port, index }: PoolPort): WorkerId {
  if (workerId !== undefined) return ((workerId + BigInt(index)) & maxWorkerId) as WorkerId;
  return workerIdFromName(index === 0 ? pod.name : `${pod.name}:${port}`);
}

function activePorts(pod: Pod, refused: RefusedSetting): ReadonlySet<number> | undefined {
  const key = activePortKeys.find((each) => pod.annotations.has(each));
  const text = key === undefined ? undefined : pod.annotations.get(key);
  if (key === undefined || text === undefined) return undefined;
  const ports = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const numbers = ports.filter((part) => /^\d{1,5}$/.test(part) && isPort(Number(part))).map(Number);
  if (numbers.length < ports.length) refused(key, text, "port numbers with commas between");
  return new Set(numbers);
}

/** Names that are not configured are passed over; a pod that has only such ones serves nothing. */
function modelsOf(pod: Pod, { models }: PodSettings, known: FleetModels, refused: RefusedSetting): readonly string[] {
  if (models.length === 0) {
    const labelled = known.named(pod.labels.get(modelLabel) ?? "");
    return labelled === undefined ? known.all : [labelled.name];
  }
  const names = new Set<string>();
  for (const name of models) {
    const model = known.named(name);
    if (model === undefined) refused(`${settingPrefix}models`, name, "the name of a configured model");
    else names.add(model.name);
  }
  return [...names];
}

/** A name that no model has as an adapter could never be asked for. */
function adaptersOf(
  { adapters }: PodSettings,
  models: readonly string[],
  known: FleetModels,
  refused: RefusedSetting,
): ReadonlySet<string> | undefined {
  if (adapters === undefined) return undefined;
  const served = new Set(models.flatMap((name) => known.named(name)?.adapters ?? []));
  for (const adapter of adapters) {
    if (!served.has(adapter))
      refused(`${settingPrefix}adapters`, adapter, "an adapter that is configured for its models");
  }
  return new Set(adapters);
}

/** Whether the pod's events can be read as those of its models. */
function fitsModels(
  { blockSize, profile, kvEventsPort }: PodSettings,
  models: readonly string[],
  known: FleetModels,
  refused: RefusedSetting,
): boolean {
  const sizes = new Set(models.map((name) => known.named(name)?.blockSize));
  let fits = sizes.size <= 1;
  if (!fits && kvEventsPort !== undefined)
    refused(`${settingPrefix}models`, models.join(), "models of one block size, for KV events to be followed");
  for (const name of models) {
    const model = known.named(name);
    if (model === undefined) continue;
    if (blockSize !== undefined && model.blockSize !== blockSize) {
      refused(`${settingPrefix}block-size`, String(blockSize), `${model.blockSize}, as configured for ${name}`);
      fits = false;
    }
    if (profile !== undefined && model.profile !== profile) {
      refused(`${settingPrefix}profile`, profile, `${model.profile}, as configured for ${name}`);
    }
  }
  return fits;
}

function portOf(pod: Pod, text: string | undefined, name: string, refused: RefusedSetting): number | undefined {
  if (text === undefined) return undefined;
  const port = portNamed(pod, text);
  if (port === undefined) refused(settingPrefix + name, text, "a port number or the name of a container's port");
  return port;
}

/** Rank r publishes on the port + r. Source: vLLM distributed/kv_events.py. */
function eventSources(
  pod: Pod,
  settings: PodSettings,
  dpRankStart: number,
  refused: RefusedSetting,
): (KvEventSource | undefined)[] {
  const events = portOf(pod, settings.kvEventsPort, "kv-events-port", refused);
  if (events === undefined) return [];
  const replay = portOf(pod, settings.kvReplayPort, "kv-replay-port", refused);
  const last = dpRankStart + settings.dpSize - 1;
  if (!isPort(events + last) || (replay !== undefined && !isPort(replay + last))) {
    refused(`${settingPrefix}kv-events-port`, String(events), `ports up to 65535 for ${last + 1} ranks`);
    return [];
  }
  const at = (port: number) => `tcp://${addressAt(pod, port)}`;
  return Array.from({ length: settings.dpSize }, (_, i) => ({
    endpoint: at(events + dpRankStart + i),
    replayEndpoint: replay === undefined ? undefined : at(replay + dpRankStart + i),
  }));
}

function handoverOf(
  pod: Pod,
  { role, handovers, bootstrapPort, engineId }: PodSettings,
  refused: RefusedSetting,
): HandoverSettings | undefined {
  const handover = handovers.get(role);
  if (handover === undefined) return undefined;
  return {
    ...handover,
    bootstrapPort: portOf(pod, bootstrapPort, "bootstrap-port", refused) ?? handover.bootstrapPort,
    engineId: engineId ?? handover.engineId,
  };
}
