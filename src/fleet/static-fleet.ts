import { canonicalEndpoint, formatEndpoint, parseEndpoint } from "./endpoint.ts";
import type { HandoverSettings } from "./handover.ts";
import type { KvEventSource, ScoringCapability, WorkerId, WorkerRole, WorkerSpec } from "./worker.ts";
import { parseWorkerId, workerIdFromName } from "./worker-id.ts";

/** A worker as the configuration names it. */
export interface StaticWorkerEntry {
  readonly name: string;
  /** Decimal u64. Default: made from the name, as Dynamo makes it from a pod's. */
  readonly id?: string;
  /** `host:port` or `[v6]:port`. */
  readonly endpoint: string;
  /** Default: every model. */
  readonly models?: readonly string[];
  /** LoRA adapters that it has loaded. Default: it counts as having all. */
  readonly adapters?: readonly string[];
  /** Default aggregated. */
  readonly role?: WorkerRole;
  /** Default 0. */
  readonly dpRankStart?: number;
  /** Default 1. */
  readonly dpSize?: number;
  /** `tcp://host:port` of rank 0's events; rank r publishes on port + r, as vLLM does. Default: none are published. */
  readonly kvEvents?: string;
  /** Likewise where past events are replayed. Needs `kvEvents`. */
  readonly kvReplay?: string;
  /** Blocks a rank can hold. Default: not known. */
  readonly totalKvBlocks?: number;
  /** `ip:port` of the engine's metrics page. Default: the endpoint. */
  readonly metricsEndpoint?: string;
  readonly taints?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Whether `x-data-parallel-rank` is sent to it. Default false. */
  readonly sendsDataParallelRank?: boolean;
  /** Whether `x-prefiller-host-port` is sent to it. Default false. */
  readonly sendsPrefillHost?: boolean;
  /** Default: the proxy sends it whole requests only. */
  readonly handover?: HandoverSettings;
  /** Default: it scores no prompts. */
  readonly scoring?: ScoringCapability;
  /** Default `/health`; the empty string = not probed. */
  readonly healthPath?: string;
}

/**
 * Workers of a fixed list, for `Catalogue.replaceAll`.
 * @param incarnation of all of them; the same list read again keeps it
 * @throws RangeError naming the entry and the field, also for an id or endpoint that two entries share
 */
export function staticWorkers(entries: readonly StaticWorkerEntry[], incarnation = "static"): WorkerSpec[] {
  const specs = entries.map((entry, i) => staticWorker(entry, `workers[${i}]`, incarnation));
  refuseRepeated(specs, "id", (spec) => spec.id.toString());
  refuseRepeated(specs, "endpoint", (spec) => spec.endpoint);
  return specs;
}

function staticWorker(entry: StaticWorkerEntry, path: string, incarnation: string): WorkerSpec {
  const { name, dpRankStart = 0, dpSize = 1, healthPath = "/health", labels = {} } = entry;
  const endpoint = canonicalEndpoint(entry.endpoint);
  if (endpoint === undefined) throw new RangeError(`${path}.endpoint must be host:port, got ${entry.endpoint}`);
  return {
    id: staticId(entry, path),
    incarnation,
    name,
    endpoint,
    metricsEndpoint: entry.metricsEndpoint,
    role: entry.role ?? "aggregated",
    models: entry.models ?? [],
    adapters: entry.adapters === undefined ? undefined : new Set(entry.adapters),
    dpRankStart,
    dpSize,
    kvEvents: eventSources(entry, path, dpRankStart, dpSize),
    totalKvBlocks: entry.totalKvBlocks,
    taints: new Set(entry.taints),
    labels: new Map(Object.entries(labels)),
    headers: {
      sendsDataParallelRank: entry.sendsDataParallelRank ?? false,
      sendsPrefillHost: entry.sendsPrefillHost ?? false,
    },
    ...(entry.handover === undefined ? {} : { handover: entry.handover }),
    ...(entry.scoring === undefined ? {} : { scoring: entry.scoring }),
    healthPath: healthPath === "" ? undefined : healthPath,
  };
}

function staticId(entry: StaticWorkerEntry, path: string): WorkerId {
  if (entry.id === undefined) return workerIdFromName(entry.name);
  const id = parseWorkerId(entry.id);
  if (id === undefined) throw new RangeError(`${path}.id must be a decimal number below 2^64, got ${entry.id}`);
  return id;
}

function eventSources(
  entry: StaticWorkerEntry,
  path: string,
  dpRankStart: number,
  dpSize: number,
): (KvEventSource | undefined)[] {
  const { kvEvents, kvReplay } = entry;
  if (kvEvents === undefined) {
    if (kvReplay !== undefined) throw new RangeError(`${path}.kvReplay needs kvEvents`);
    return [];
  }
  return Array.from({ length: dpSize }, (_, i) => ({
    endpoint: portOfRank(kvEvents, dpRankStart + i, `${path}.kvEvents`),
    replayEndpoint: kvReplay === undefined ? undefined : portOfRank(kvReplay, dpRankStart + i, `${path}.kvReplay`),
  }));
}

/** Source: vLLM distributed/kv_events.py, which adds the data-parallel rank to the configured port. */
function portOfRank(address: string, dpRank: number, path: string): string {
  const base = address.startsWith("tcp://") ? parseEndpoint(address.slice(6)) : undefined;
  if (base?.port === undefined) throw new RangeError(`${path} must be tcp://host:port, got ${address}`);
  const port = base.port + dpRank;
  if (port > 65_535) throw new RangeError(`${path}: port of rank ${dpRank} would be ${port}`);
  return `tcp://${formatEndpoint({ host: base.host, port })}`;
}

function refuseRepeated(specs: readonly WorkerSpec[], field: string, keyOf: (spec: WorkerSpec) => string): void {
  const seen = new Map<string, number>();
  for (const [i, spec] of specs.entries()) {
    const value = keyOf(spec);
    const before = seen.get(value);
    if (before !== undefined) throw new RangeError(`workers[${i}].${field} ${value} is that of workers[${before}] too`);
    seen.set(value, i);
  }
}
