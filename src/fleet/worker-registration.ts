import { canonicalEndpoint } from "./endpoint.ts";
import type { KvEventSource, WorkerId, WorkerRole, WorkerSpec } from "./worker.ts";

/** What a caller says of a worker. Everything but the id may be missing, and be told later. */
export interface WorkerRegistration {
  readonly workerId: WorkerId;
  readonly modelName: string;
  readonly routingGroup: string;
  /** Where requests are sent: an address, a URL, or any text that callers understand. */
  readonly endpoint: string | undefined;
  /** KV events of the one rank. */
  readonly kvEventsEndpoint: string | undefined;
  /** KV events by dp rank; they take the place of `kvEventsEndpoint`. */
  readonly kvEventsEndpoints: ReadonlyMap<number, string>;
  readonly replayEndpoint: string | undefined;
  /** Replay sockets by dp rank; they take the place of `replayEndpoint`. */
  readonly replayEndpoints: ReadonlyMap<number, string>;
  readonly blockSize: number | undefined;
  readonly dataParallelStartRank: number | undefined;
  readonly dataParallelSize: number | undefined;
  /** u64 */
  readonly maxNumBatchedTokens: bigint | undefined;
  /** u64 */
  readonly totalKvBlocks: bigint | undefined;
  readonly stableRoutingId: string | undefined;
  readonly isEagle: boolean | undefined;
  readonly taints: readonly string[];
  readonly topologyDomains: ReadonlyMap<string, string>;
  readonly kvTransferDomain: string | undefined;
  readonly kvTransferEnforcement: "required" | "preferred" | undefined;
  readonly kvTransferPreferredWeight: number | undefined;
  readonly routerHintWorkerType: string | undefined;
  readonly routerHintSourceControlEndpoints: ReadonlyMap<number, string>;
  /** Name for people; undefined = made from the id. */
  readonly name: string | undefined;
  /** Undefined = aggregated. */
  readonly role: WorkerRole | undefined;
  /** Whether it is leaving: it keeps what it has and gets nothing new. Undefined = it is not. */
  readonly isDraining: boolean | undefined;
}

/** What a registration may change later: members that are there take the place of the old ones. */
export type WorkerPatch = Partial<Omit<WorkerRegistration, "workerId" | "modelName" | "routingGroup">>;

/** What a worker must have to be picked, beside its own fields. */
export interface RegistrationDemands {
  /** Every rank must publish KV events, as Dynamo's selection service asks. */
  readonly needsKvEvents: boolean;
  /** The endpoint must be an address that a gateway can send to. */
  readonly needsAddress: boolean;
  /** Path of the health check; undefined = registered workers are not probed. */
  readonly healthPath: string | undefined;
}

/** Why a worker cannot be picked, in Dynamo's words where it has some; empty = it can. */
export function missingOf(registration: WorkerRegistration, demands: RegistrationDemands): string[] {
  const { endpoint = "", blockSize = 0 } = registration;
  const missing: string[] = [];
  if (endpoint === "") missing.push("endpoint is required");
  else if (demands.needsAddress && addressOf(endpoint) === undefined) {
    missing.push("endpoint must be host:port or a URL with one");
  }
  if (blockSize === 0) missing.push("block_size must be greater than 0");
  if (registration.dataParallelSize === 0) missing.push("data_parallel_size must be greater than 0");
  if (demands.needsKvEvents) {
    const sources = eventEndpoints(registration);
    for (const rank of ranksOf(registration)) {
      if ((sources.get(rank) ?? "") === "") missing.push(`kv_events endpoint is required for dp_rank ${rank}`);
    }
  }
  if (hasSharedReplay(registration)) {
    missing.push("replay_endpoint is supported only for data_parallel_size 1: use replay_endpoints");
  }
  return missing.length > maxReasons ? [...missing.slice(0, maxReasons), "and more"] : missing;
}

/** Most reasons that are listed. */
const maxReasons = 32;

/** The first ZMQ address that is none, as the end of a sentence; undefined = all are. */
export function badSocketOf(registration: WorkerRegistration): string | undefined {
  const id = registration.workerId;
  const places: (readonly [string, string])[] = [
    ...[...eventEndpoints(registration)].map(
      ([rank, url]) => [`kv_events endpoint for worker ${id} dp_rank ${rank}`, url] as const,
    ),
    ...[...replayEndpoints(registration).values()].map((url) => [`replay endpoint for worker ${id}`, url] as const),
  ];
  const bad = places.find(([, url]) => url !== "" && !/^(tcp:\/\/[^/\s]+:\d+|ipc:\/\/\S+)$/.test(url));
  return bad === undefined ? undefined : `invalid ${bad[0]}: expected tcp://host:port or ipc://path`;
}

/**
 * The registration as the catalogue takes it.
 * @param modelName what the catalogue calls the partition
 */
export function specOfRegistration(
  registration: WorkerRegistration,
  modelName: string,
  { healthPath }: RegistrationDemands,
): WorkerSpec {
  const { workerId, endpoint = "", dataParallelStartRank = 0, dataParallelSize = 1, totalKvBlocks } = registration;
  const address = addressOf(endpoint);
  return {
    id: workerId,
    incarnation: "registered",
    name: registration.name ?? `worker-${workerId}`,
    endpoint: address ?? endpoint,
    isCallerAddressed: true,
    role: registration.role ?? "aggregated",
    models: [modelName],
    dpRankStart: dataParallelStartRank,
    dpSize: dataParallelSize,
    kvEvents: eventSources(registration),
    totalKvBlocks: totalKvBlocks === undefined ? undefined : Number(totalKvBlocks),
    taints: new Set(registration.taints),
    labels: registration.topologyDomains,
    headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
    healthPath: address === undefined ? undefined : healthPath,
  };
}

/** `host:port` of an address or a URL with a port; undefined for other texts. */
export function addressOf(endpoint: string): string | undefined {
  const [, authority = endpoint] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#@]+)/i.exec(endpoint) ?? [];
  return canonicalEndpoint(authority);
}

function* ranksOf({ dataParallelStartRank = 0, dataParallelSize = 1 }: WorkerRegistration): Generator<number> {
  for (let i = 0; i < dataParallelSize; i++) yield dataParallelStartRank + i;
}

/** Source: dynamo@1.6.1 WorkerCatalogRecord: the single endpoint is that of the only rank. */
function eventEndpoints(registration: WorkerRegistration): ReadonlyMap<number, string> {
  const { kvEventsEndpoints, kvEventsEndpoint } = registration;
  return kvEventsEndpoints.size > 0 ? kvEventsEndpoints : ofOnlyRank(registration, kvEventsEndpoint);
}

function replayEndpoints(registration: WorkerRegistration): ReadonlyMap<number, string> {
  const { replayEndpoints: byRank, replayEndpoint } = registration;
  return byRank.size > 0 ? byRank : ofOnlyRank(registration, replayEndpoint);
}

function ofOnlyRank(
  { dataParallelStartRank = 0, dataParallelSize = 1 }: WorkerRegistration,
  endpoint: string | undefined,
): ReadonlyMap<number, string> {
  return dataParallelSize === 1 && endpoint !== undefined ? new Map([[dataParallelStartRank, endpoint]]) : new Map();
}

/** A replay request names no rank: one socket cannot serve several. */
function hasSharedReplay({
  replayEndpoint,
  replayEndpoints: byRank,
  dataParallelSize = 1,
}: WorkerRegistration): boolean {
  return replayEndpoint !== undefined && byRank.size === 0 && dataParallelSize > 1;
}

function eventSources(registration: WorkerRegistration): (KvEventSource | undefined)[] {
  const sources = eventEndpoints(registration);
  const replays = replayEndpoints(registration);
  return [...ranksOf(registration)].map((rank) => {
    const endpoint = sources.get(rank);
    return endpoint === undefined || endpoint === "" ? undefined : { endpoint, replayEndpoint: replays.get(rank) };
  });
}
