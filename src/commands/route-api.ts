import { performance } from "node:perf_hooks";
import { type Config, isLoopback, parseAddress } from "../config/index.ts";
import { type Catalogue, RegisteredWorkers, type Worker } from "../fleet/index.ts";
import {
  BearerTokens,
  type HttpAddress,
  HttpListener,
  type HttpListenerOptions,
  type Operation,
} from "../http/index.ts";
import { blocksWithin, GuessedBlocks, PrefixIndex } from "../kv/index.ts";
import { dumpText } from "../kv-events/index.ts";
import type { Lease } from "../load/index.ts";
import {
  type Partition,
  Partitions,
  predictedCachedTokens,
  type Router,
  type Selection,
  Selections,
  WorkerDirectory,
} from "../router/index.ts";
import { type RecoveryState, type RouteApiOptions, routeApiOperations } from "../surface/route-api/index.ts";
import type { Logger, Metrics, RequestTracer } from "../telemetry/index.ts";
import { version } from "../version.ts";
import type { Core } from "./assemble.ts";
import type { KvFollower } from "./kv-follower.ts";
import { tlsOf } from "./listener-tls.ts";
import { modesOf } from "./modes.ts";
import { chosenOf } from "./observed-router.ts";
import type { RecoveryView } from "./peer-recovery.ts";
import { logPick } from "./pick-log.ts";
import type { Replication } from "./replication.ts";

/** What the route API needs of a running process. */
export interface RouteApiParts {
  readonly core: Core;
  readonly follower: Pick<KvFollower, "statusOf" | "pointsOf">;
  /** Undefined when there are no peers to recover from. */
  readonly recovery?: RecoveryView | undefined;
  /** What is wrong with how a worker is set up. */
  readonly problemsOf: (worker: Worker) => readonly object[];
  /** Absent where load is not shared. */
  readonly replication?: Pick<Replication, "status"> | undefined;
  /** Whether the models are loaded, and what peers know was fetched. */
  readonly isReady: () => boolean;
  /** Has a line `picked` for each choice at level debug; absent = none. */
  readonly log?: Logger;
  /** Counts the choices; absent = nobody does. */
  readonly metrics?: Pick<Metrics, "requests">;
  /** Absent = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
}

/** The operations of the route API over a core. Workers that are registered through them go into its catalogue. */
export function routeOperationsOf(
  { core, follower, recovery, problemsOf, replication, isReady, log, metrics, tracer }: RouteApiParts,
  config: Config,
): readonly Operation[] {
  const { router, catalogue, view, leases, decisions, reservationIds, pick, json, models } = core;
  const now = () => performance.now();
  const partitions = new Partitions(models, {
    maxPartitions: config.routeApi.registration.maxPartitions,
    makeIndex: (blockSize) => makeIndex(config, blockSize),
  });
  const selections = new Selections(
    { router, partitions, catalogue, view, pick, now, picked: pickedOf(router, log, metrics) },
    config.routeApi.pendingSelections,
  );
  const workers = new WorkerDirectory(registeredWorkers(core, partitions, config), catalogue, partitions);
  return routeApiOperations(
    {
      router,
      selections,
      partitions,
      workers,
      leases,
      decisions,
      otherReplicaOf: (id) => reservationIds.otherReplicaOf(id),
      json,
      dump: () => dumpOf(partitions, catalogue, follower),
      recovery: () => recoveryState(recovery),
      statusOf: {
        kvEvents: (rank) => follower.statusOf(rank),
        problems: problemsOf,
        siblingLoad: ({ slot }) => (replication === undefined ? undefined : view.siblingLoad(slot)),
      },
      replicas: () => replication?.status(),
      isReady,
      tracer,
      version,
    },
    apiOptions(config),
  );
}

function pickedOf(router: Router, log: Logger | undefined, metrics: RouteApiParts["metrics"]) {
  return (selection: Selection, lease: Lease | undefined): void => {
    if (metrics !== undefined) countTold(metrics, selection, lease);
    if (log?.isLevelEnabled("debug") !== true) return;
    const { requestId } = selection.subject;
    const request = { requestId, reservationId: lease?.id, isBooked: lease !== undefined };
    logPick(log, router.targetOf(selection), request);
  };
}

function countTold({ requests }: Pick<Metrics, "requests">, selection: Selection, lease: Lease | undefined): void {
  const { api, model, promptTokens: inputTokens, loadOnlyReason } = selection.subject;
  const mode = lease === undefined ? "query" : "reserve";
  const predicted = predictedCachedTokens(selection);
  requests.told({ api, model: model?.name, mode, inputTokens, predictedCachedTokens: predicted });
  requests.chosen(chosenOf(selection));
  if (loadOnlyReason !== undefined) requests.inexact(model?.name, loadOnlyReason);
}

/** What all workers hold, by partition, as Dynamo's services give it. */
function dumpOf(
  partitions: Partitions,
  catalogue: Catalogue,
  follower: Pick<KvFollower, "pointsOf">,
): Iterable<string> {
  const groups = partitions.values().map(({ model, group, blockSize, served }) => ({
    model,
    routingGroup: group,
    blockSize,
    points: () => follower.pointsOf(served.name),
    changes: served.index.dump(),
  }));
  return dumpText(groups, (slot) => {
    const rank = catalogue.rankAt(slot);
    return rank && { workerId: rank.worker.id, dpRank: rank.dpRank };
  });
}

function recoveryState(recovery: RecoveryView | undefined): RecoveryState | undefined {
  if (recovery === undefined) return undefined;
  const { isCaughtUp, status } = recovery;
  return { ...status, isCaughtUp };
}

/** A listening route API. */
export interface RunningRouteApi {
  /** As clients write them. */
  readonly addresses: readonly string[];
  /** Lets running requests end, and cuts those that have not after `drainMs`. */
  close(drainMs: number): Promise<void>;
}

/** Listens for the route API, on TCP and on a Unix socket as the settings say. Rejects when it cannot. */
export async function startRouteApi(
  operations: readonly Operation[],
  config: Config,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
): Promise<RunningRouteApi> {
  const { tokenFile, tokenReloadIntervalMs } = config.routeApi;
  const tokens = tokenFile === undefined ? undefined : await BearerTokens.read(tokenFile);
  const dependencies = { log, observer: metrics.http, now: () => performance.now() };
  const listeners: HttpListener[] = [];
  try {
    for (const options of listenerOptions(config, tokens)) {
      listeners.push(await HttpListener.start(operations, options, dependencies));
    }
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close(0)));
    throw error;
  }
  if (tokenFile !== undefined) tokens?.watch(tokenFile, tokenReloadIntervalMs, log);
  return {
    addresses: listeners.map(({ address }) => address),
    close: async (drainMs) => {
      tokens?.close();
      await Promise.all(listeners.map((listener) => listener.close(drainMs)));
    },
  };
}

function makeIndex({ approximateIndex, kvEvents, routeApi }: Config, blockSize: number): PrefixIndex {
  const guesses = new GuessedBlocks({ maxBlocks: blocksWithin(approximateIndex.maxBytes) });
  const maxBlocks = blocksWithin(routeApi.registration.maxIndexBytes);
  return new PrefixIndex({ blockSize, maxBlocks, maxOrphans: kvEvents.maxWaitingBlocks, guesses });
}

function registeredWorkers({ catalogue }: Core, partitions: Partitions, config: Config): RegisteredWorkers<Partition> {
  const { maxWorkers, maxRanks, requireKvEvents, probe } = config.routeApi.registration;
  const { enabled, path } = config.fleet.healthCheck;
  return new RegisteredWorkers(
    catalogue,
    {
      claim: ({ modelName, routingGroup, blockSize, isEagle = false }) =>
        partitions.claim({ model: modelName, group: routingGroup, blockSize, isEagle }),
      nameOf: ({ served }) => served.name,
      release: (partition) => partitions.release(partition),
    },
    {
      maxWorkers,
      maxRanks,
      needsKvEvents: requireKvEvents,
      needsAddress: modesOf(config).some((mode) => mode === "ext-proc" || mode === "proxy"),
      healthPath: probe && enabled ? path : undefined,
    },
  );
}

function apiOptions(config: Config): RouteApiOptions {
  const { routeApi, extProc } = config;
  const { maxTokenIds, maxHashes, maxListItems, maxFieldBytes, maxFieldValues, maxBodyBytes, deadlineMs, tokenFile } =
    routeApi;
  return {
    bounds: { maxTokenIds, maxHashes, maxListItems, maxFieldBytes, maxFieldValues, maxRequestBytes: maxBodyBytes },
    reserves: modesOf(config).includes("reserve"),
    deadlineMs,
    isDumpOpen: tokenFile !== undefined || isLoopback(routeApi.listen),
    trustsClients: extProc.trustClientPins,
  };
}

function listenerOptions({ routeApi }: Config, tokens: BearerTokens | undefined): readonly HttpListenerOptions[] {
  const { listen, socket, socketMode, retryAfterSeconds } = routeApi;
  const common = { limits: routeApi, tokens, retryAfterSeconds };
  const options: HttpListenerOptions[] = [];
  if (listen !== "off")
    options.push({
      ...common,
      setting: "routeApi.listen",
      address: { kind: "tcp", ...parseAddress(listen) },
      tls: tlsOf(routeApi.tls),
    });
  if (socket !== undefined) {
    const address: HttpAddress = {
      kind: "unix",
      path: socket,
      mode: socketMode === undefined ? undefined : Number.parseInt(socketMode, 8),
    };
    options.push({ ...common, setting: "routeApi.socket", address, tls: { kind: "off" } });
  }
  return options;
}
