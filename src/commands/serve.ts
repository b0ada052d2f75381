import { performance } from "node:perf_hooks";
import { type Config, parseAddress } from "../config/index.ts";
import {
  type Catalogue,
  HealthProber,
  HttpProbe,
  type Worker,
  type WorkerHealth,
  type WorkerTlsOf,
} from "../fleet/index.ts";
import { JsonReader } from "../json/index.ts";
import type { IndexRecovery } from "../kv-events/index.ts";
import { type Logger, Metrics, RefusalLog, type RequestTracer } from "../telemetry/index.ts";
import { version } from "../version.ts";
import { assembleCore, type Core } from "./assemble.ts";
import { assertServable } from "./assert-servable.ts";
import { setCollectorPolicy } from "./collector-policy.ts";
import { consoleOf } from "./console-module.ts";
import { enginePoller } from "./engine-metrics.ts";
import { IndexUpkeep } from "./index-upkeep.ts";
import { KubernetesDiscovery } from "./kubernetes-discovery.ts";
import { KvFollower } from "./kv-follower.ts";
import { startMetrics } from "./metrics-listener.ts";
import { hasRouteApi, modesOf, needsWorkers } from "./modes.ts";
import { peerRecovery } from "./peer-recovery.ts";
import { promptEvents } from "./prompt-events.ts";
import { PromptService } from "./prompt-service.ts";
import { warmUpProxy } from "./proxy-warm-up.ts";
import { type Readiness, readinessOf } from "./readiness.ts";
import { Replication } from "./replication.ts";
import type { RequestWatcher } from "./request-watch.ts";
import { CoreSamples } from "./samples.ts";
import { servedModels } from "./served-models.ts";
import type { ShardSide } from "./shards/shard-side.ts";
import { type Surface, startSurfaces } from "./surfaces.ts";
import { tracerOf } from "./tracing.ts";
import { startRecorder } from "./traffic-recorder.ts";
import { UntoldPrefill } from "./untold-prefill.ts";
import { workerTlsOf } from "./worker-access.ts";

/**
 * Runs the picker until `stop` aborts, then drains it. Rejects when it cannot start.
 * @param shard what it shares with other processes of the same deployment; undefined = it is the only one
 */
export async function serve(config: Config, log: Logger, stop: AbortSignal, shard?: ShardSide): Promise<void> {
  assertServable(config);
  setCollectorPolicy();
  const running: Closable[] = [];
  try {
    const { surfaces, loaded, readiness } = await start(config, log, running, shard);
    await Promise.race([loaded, aborted(stop)]);
    await aborted(stop);
    const { drainTimeoutMs } = config.shutdown;
    log.info({ drainTimeoutMs }, "draining");
    readiness.set("draining", true);
    await Promise.all(surfaces.map((surface) => surface.drain(drainTimeoutMs)));
  } finally {
    for (const part of running.toReversed()) await part.close();
  }
  log.info({}, "stopped");
}

interface Closable {
  close(): Promise<void>;
}

/** The listening surfaces, and when they are ready. */
interface Started {
  readonly surfaces: readonly Surface[];
  /** Rejects when a model cannot be loaded. */
  readonly loaded: Promise<void>;
  readonly readiness: Readiness;
}

/** Starts all parts, the surface last. @param running receives each part once it has to be closed */
async function start(config: Config, log: Logger, running: Closable[], shard: ShardSide | undefined): Promise<Started> {
  const metrics = metricsOf(config);
  metrics.watchProcess();
  const models = servedModels(config);
  const jsonReader = new JsonReader({ internedBytes: config.json.internedBytes });
  const prompts = new PromptService(config, {
    models,
    reader: jsonReader,
    random: Math.random,
    ...promptEvents(metrics, log),
  });
  running.push(prompts);
  metrics.samplePrompts(prompts);
  const { elsewhere } = prompts;
  const core = assembleCore(config, {
    models: models.registry,
    random: Math.random,
    jsonReader,
    elsewhere,
    waited: (end, waitedMs) => metrics.requests.waited(end, waitedMs),
  });
  logHealth(core.catalogue, log);
  const recovery = await startRecovery(config, core, metrics, log);
  const follower = new KvFollower(core, config.kvEvents, log, { recovery });
  running.push(follower, new IndexUpkeep(core.models, { now: () => performance.now() }));
  if (recovery !== undefined) running.push(recovery);
  const untold = new UntoldPrefill(core.catalogue, config, log);
  running.push(untold);
  const problemsOf = (worker: Worker) => untold.problemsOf(worker);
  const isLoadShared = config.replicas.redis.url !== undefined || shard !== undefined;
  metrics.sample(new CoreSamples(core, { kvEventsOf: (rank) => follower.sampleOf(rank), problemsOf, isLoadShared }));
  running.push(leaseSweep(core));
  shard?.serveMetrics(() => metrics.render());
  const metricsServer = await startMetrics(config, metrics);
  if (metricsServer !== undefined) running.push(metricsServer);
  const prober = await watchWorkers(config, core, log, running);
  const replication = await Replication.start(config, core, log, shard);
  if (replication !== undefined) {
    running.push(replication);
    metrics.sampleReplicas(() => replication.sample());
  }
  const tracer = await startTraces(config, log, metrics, running);
  const watchers = await requestWatchers(config, log, metrics, running);
  const parts = { core, config, tracer, log, metrics, follower, recovery, problemsOf, prober, replication, watchers };
  const readiness = readinessOf(config);
  const shown = { ...parts, isLoadShared, readiness };
  const console = await consoleOf(shown, log, shard);
  if (console !== undefined) running.push(console);
  const surfaces = await startSurfaces(parts, running);
  // Last, since everything that has to do with workers now hears of them.
  const kubernetes = await KubernetesDiscovery.start(config, core, log);
  if (kubernetes !== undefined) running.push(kubernetes);
  const recovered = kubernetes === undefined ? recovery?.start() : kubernetes.synced().then(() => recovery?.start());
  const warmed = prompts.loaded.then(() => warmUpProxy(config, core.models, log));
  const prepared = [
    warmed.then(() => readiness.set("models", false)),
    recovered?.then(() => readiness.set("recovery", false)),
  ];
  const loaded = Promise.all(prepared).then(async () => {
    await takeRequests(surfaces, readiness, kubernetes, shard);
    const addresses = Object.assign({}, ...surfaces.map((surface) => surface.addresses));
    const listening = { ...addresses, metricsPort: metricsServer?.port, console: console?.address };
    log.info({ modes: modesOf(config), ...listening, ...served(config, core), version }, readyText(config));
  });
  return { surfaces, loaded, readiness };
}

function metricsOf(config: Config): Metrics {
  const refusals = new RefusalLog(config.decisions, Date.now);
  return new Metrics({ models: config.models.map(({ name }) => name), version, llmd: llmdOf(config), refusals });
}

/** Undefined = there are no peers. */
async function startRecovery(
  config: Config,
  core: Core,
  metrics: Metrics,
  log: Logger,
): Promise<IndexRecovery | undefined> {
  const recovery = await peerRecovery(config, core.models, log, () => routeApiPorts(config));
  if (recovery !== undefined) metrics.sampleRecovery(() => recovery.status);
  return recovery;
}

/** All is prepared: opens the surfaces, and keeps them told whether it is known who the workers are. */
async function takeRequests(
  surfaces: readonly Surface[],
  readiness: Readiness,
  kubernetes: KubernetesDiscovery | undefined,
  shard: ShardSide | undefined,
): Promise<void> {
  await Promise.all(surfaces.map((surface) => surface.open()));
  const setReady = (isReady: boolean) => {
    readiness.set("workers", !isReady);
    for (const surface of surfaces) surface.setReady(isReady);
    shard?.setReady(isReady);
  };
  if (kubernetes === undefined) setReady(true);
  else kubernetes.onReadiness(setReady);
}

/** Who follows the requests of all surfaces. */
async function requestWatchers(
  config: Config,
  log: Logger,
  metrics: Metrics,
  running: Closable[],
): Promise<readonly RequestWatcher[]> {
  const recorder = await startRecorder(config, log);
  if (recorder === undefined) return [];
  running.push(recorder);
  metrics.sampleRecorder(recorder.lines);
  return [recorder.watcher];
}

/** Undefined = there are no traces. */
async function startTraces(
  config: Config,
  log: Logger,
  metrics: Metrics,
  running: Closable[],
): Promise<RequestTracer | undefined> {
  const tracer = await tracerOf(config, log);
  if (tracer === undefined) return undefined;
  running.push(tracer);
  metrics.sampleTraces(() => tracer.counts);
  return tracer;
}

/** Frees what callers left behind, whether or not another call comes. */
function leaseSweep({ leases }: Core): Closable {
  const timer = setInterval(() => leases.sweep(), Math.min(1_000, leases.leaseMs)).unref();
  return {
    close: async () => clearInterval(timer),
  };
}

/** Says when a worker goes out of the choice and when it comes back. */
function logHealth(catalogue: Catalogue, log: Logger): void {
  const last = new WeakMap<Worker, WorkerHealth>();
  catalogue.subscribe({
    onUpdated: (worker) => {
      const { name, endpoint, health } = worker;
      const before = last.get(worker) ?? "unknown";
      last.set(worker, health);
      if (health === before) return;
      if (health === "unhealthy") log.warn({ worker: name, endpoint }, "the worker is unhealthy and is not picked");
      else if (before === "unhealthy") log.info({ worker: name, endpoint }, "the worker is healthy again");
    },
  });
}

function llmdOf({ metrics }: Config) {
  const { names, ...rest } = metrics.llmd;
  return names === "off" ? undefined : { ...rest, names };
}

/** Starts to ask workers how they are. */
async function watchWorkers(
  config: Config,
  core: Core,
  log: Logger,
  running: Closable[],
): Promise<HealthProber | undefined> {
  const tlsOf = await workerTlsOf(config);
  const engines = enginePoller(config, core, log, tlsOf);
  if (engines !== undefined) running.push(engines);
  const prober = healthProber(config, core, tlsOf);
  if (prober !== undefined) running.push(prober);
  return prober;
}

function healthProber(config: Config, core: Core, tlsOf: WorkerTlsOf): HealthProber | undefined {
  const {
    enabled,
    path: _path,
    intervalMs,
    unhealthyThreshold,
    healthyThreshold,
    ...options
  } = config.fleet.healthCheck;
  // The proxy tells how its requests fare.
  if (!enabled && !modesOf(config).includes("proxy")) return undefined;
  const health = {
    ...options,
    intervalMs: enabled ? intervalMs : 0,
    badAnswerThreshold: config.fleet.circuit.badAnswers,
    badAnswerHoldMs: config.fleet.circuit.openMs,
    failureThreshold: unhealthyThreshold,
    successThreshold: healthyThreshold,
  };
  return new HealthProber(core.catalogue, health, { probe: new HttpProbe(tlsOf) });
}

/** Where other replicas may ask this one for its index, as far as the settings say. */
function routeApiPorts(config: Config): readonly number[] {
  const { listen } = config.routeApi;
  return hasRouteApi(config) && listen !== "off" ? [parseAddress(listen).port] : [];
}

/** What requests are served: a queue's models are those of its settings, and its workers are known to others. */
function served(config: Config, core: Core) {
  const queueModels = modesOf(config).includes("queue") ? config.queue.models : undefined;
  if (!needsWorkers(config)) return { queueModels };
  return { models: core.models.values().map(({ name }) => name), workers: core.catalogue.size, queueModels };
}

function readyText(config: Config): string {
  return needsWorkers(config) ? "the picker is ready" : "the queue's front is ready";
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
