import { performance } from "node:perf_hooks";
import { type Config, isLoopback } from "../config/index.ts";
import { AuthorizedWorkers, WorkerPools } from "../dispatch/index.ts";
import type { HealthProber, WorkerTlsOf } from "../fleet/index.ts";
import {
  ApiKeys,
  BodyIntake,
  Cors,
  FrontGate,
  type FrontServer,
  type ListedModel,
  systemClock,
} from "../http/index.ts";
import type { ModelRegistry } from "../router/index.ts";
import {
  apiDocument,
  FrontDoor,
  ModelList,
  type MountedRoute,
  type ProxyTelemetry,
  ResponseOwners,
  RetryBudget,
  ServedPaths,
  Splitter,
  WorkerModels,
} from "../surface/proxy/index.ts";
import type { Logger, Metrics, RequestTracer } from "../telemetry/index.ts";
import { version } from "../version.ts";
import { apiKeysOf, areKeysNeeded, watchApiKeys } from "./api-keys.ts";
import type { Core } from "./assemble.ts";
import { decisionRoutes } from "./decisions.ts";
import { listenForClients } from "./front-listener.ts";
import { ObservedRouter } from "./observed-router.ts";
import type { RequestWatcher } from "./request-watch.ts";
import { RewritingRouter } from "./rewriting-router.ts";
import { WorkerKeys, workerTlsOf } from "./worker-access.ts";
import { workerReports } from "./worker-reports.ts";

/** What the proxy needs of a running process. */
export interface ProxyParts {
  readonly core: Core;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly prober: HealthProber | undefined;
  /** Undefined = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
  /** Who follows the requests. */
  readonly watchers: readonly RequestWatcher[];
}

/** A listening proxy with its connections to the workers. */
export interface RunningProxy {
  readonly server: FrontServer;
  close(): Promise<void>;
}

/** Listens for clients. Rejects when it cannot, or when the key file cannot be used. */
export async function startProxy(parts: ProxyParts): Promise<RunningProxy> {
  const { core, config, log } = parts;
  const { proxy } = config;
  const listed = await apiKeysOf(proxy, "proxy");
  const keys = new ApiKeys(listed, areKeysNeeded(proxy), () => performance.now());
  if (!keys.areNeeded && !isLoopback(proxy.listen)) {
    log.warn({ listen: proxy.listen }, "the proxy asks nobody for a key: see proxy.apiKeys");
  }
  const [workerKeys, workerTls] = await Promise.all([WorkerKeys.start(config, log), workerTlsOf(config)]);
  const pools = workerPools(config, workerTls, log);
  const dispatcher = new AuthorizedWorkers(pools, (endpoint) => workerKeys.keyOf(endpoint));
  const unsubscribe = core.catalogue.subscribe({ onRemoved: ({ worker }) => pools.drop(worker.endpoint) });
  const closePools = () => {
    unsubscribe();
    workerKeys.close();
    return pools.close();
  };
  try {
    const door = frontDoor(parts, keys, dispatcher, decisionRoutes(parts, dispatcher));
    const server = await listenForClients("proxy", door, config, log);
    const stopWatching = watchApiKeys(proxy, "proxy", listed, (changed) => keys.replace(changed), log);
    return {
      server,
      close: async () => {
        stopWatching();
        await server.close();
        await closePools();
      },
    };
  } catch (error) {
    await closePools();
    throw error;
  }
}

function frontDoor(
  parts: ProxyParts,
  keys: ApiKeys,
  dispatcher: AuthorizedWorkers,
  mounted: readonly MountedRoute[],
): FrontDoor {
  const { core, config, log, metrics, prober, tracer } = parts;
  const { proxy } = config;
  const now = () => performance.now();
  const { budgetRatio: ratio, budgetPerSecond: perSecond, maxAttempts } = proxy.retries;
  const reports = workerReports(core.catalogue, prober);
  const intake = new BodyIntake(proxy, systemClock);
  const owners = new ResponseOwners(proxy.maxStoredResponses);
  const answersPreflights = proxy.cors.origins.length > 0;
  const gate = new FrontGate({
    keys,
    cors: new Cors(proxy.cors),
    intake,
    options: { maxRequests: proxy.maxRequests, answersPreflights },
  });
  const door = new FrontDoor({
    paths: new ServedPaths(proxy.paths, mounted),
    gate,
    document: apiDocument(version, proxy.paths, mounted),
    models: modelList(core, config, dispatcher),
    call: {
      router: new RewritingRouter(
        new ObservedRouter(core.router, metrics.requests, log, parts.watchers),
        core.rewrites,
      ),
      dispatcher,
      workers: reports,
      splitter: splitterOf(config, metrics, reports),
      owners,
      budget: new RetryBudget({ ratio, perSecond }, now),
      telemetry: telemetryOf(metrics),
      log,
      tracer,
      clock: systemClock,
      options: {
        pickDeadlineMs: proxy.pickDeadlineMs,
        maxAttempts,
        maxHeldAnswerBytes: proxy.maxHeldAnswerBytes,
        streamCommentMs: proxy.streamCommentMs,
        maxUsageBytes: proxy.maxUsageBytes,
        retryAfterSeconds: proxy.retryAfterSeconds,
        trustsClient: proxy.trustClientPins,
        injectsTokens: proxy.injectTokens,
      },
    },
    options: {
      forwardsGeneratedRequestId: proxy.forwardGeneratedRequestId,
      forwarding: {
        trustsClient: proxy.trustClientPins,
        forwardsCredentials: !keys.areNeeded || proxy.forwardCredentials,
      },
      ownsCors: answersPreflights,
      clientStallTimeoutMs: proxy.clientStallTimeoutMs,
    },
  });
  metrics.proxy.sample({
    get running() {
      return gate.running;
    },
    get heldBodyBytes() {
      return intake.heldBytes;
    },
    get storedResponses() {
      return owners.size;
    },
  });
  return door;
}

function modelList({ models, catalogue }: Core, { unknownModel }: Config, dispatcher: AuthorizedWorkers): ModelList {
  const up = () => [...catalogue.workers()].filter(({ health }) => health !== "unhealthy");
  const workers = new WorkerModels(dispatcher, () => up().map(({ endpoint }) => endpoint), systemClock);
  return new ModelList({
    served: () => listedModels(models),
    cards: () => workers.cards(),
    servesOthers: unknownModel === "load",
    startedMs: Date.now(),
  });
}

function workerPools({ proxy }: Config, tlsOfWorker: WorkerTlsOf, log: Logger): WorkerPools {
  const options = {
    tlsOf: tlsOfWorker,
    maxConnections: proxy.maxWorkerConnections,
    connectTimeoutMs: proxy.connectTimeoutMs,
    connectionWaitTimeoutMs: proxy.connectionWaitTimeoutMs,
    headTimeoutMs: proxy.headTimeoutMs,
    stallTimeoutMs: proxy.stallTimeoutMs,
    keepAliveMs: proxy.workerKeepAliveMs,
    maxHeaderBytes: proxy.maxHeaderBytes,
  };
  return new WorkerPools(options, systemClock, (err) =>
    log.error({ err }, "proxy: a fault of its own behind a worker that failed"),
  );
}

/** Undefined: no worker shares requests with another. */
function splitterOf(
  { workers, proxy }: Config,
  { proxy: metrics }: Metrics,
  reports: ReturnType<typeof workerReports>,
): Splitter | undefined {
  if (workers.every(({ handover }) => handover === undefined)) return undefined;
  return new Splitter(
    { maxSequences: proxy.maxSplitSequences, maxAnswerBytes: proxy.maxPrefillAnswerBytes },
    {
      divided: (protocol, outcome) => metrics.divided(protocol ?? "none", outcome),
      prefillAnswered: (endpoint) => reports.answered(endpoint),
      prefillBroke: (endpoint) => reports.failed(endpoint),
    },
  );
}

function listedModels(models: ModelRegistry): readonly ListedModel[] {
  return models
    .values()
    .flatMap(({ name, aliases, adapters = [] }) => [
      { id: name, root: undefined },
      ...aliases.map((id) => ({ id, root: name })),
      ...adapters.map((id) => ({ id, root: name })),
    ]);
}

function telemetryOf({ requests, proxy, refusals }: Metrics): ProxyTelemetry {
  return {
    picked: (pick) => requests.picked(pick),
    refused: (refusal) => {
      proxy.refused(refusal.code);
      refusals.add({ ...refusal, surface: "proxy" });
    },
    attempted: (outcome) => proxy.attempted(outcome),
    retried: (outcome) => proxy.retried(outcome),
    began: (status, sinceReceivedMs) => proxy.began(status, sinceReceivedMs),
    cut: (reason) => proxy.cut(reason),
    usage: (usage) => requests.usage(usage),
    usageUnread: (reason) => requests.usageUnread(reason),
    aborted: (abort) => requests.aborted(abort),
  };
}
