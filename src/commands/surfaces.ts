import type { Config } from "../config/index.ts";
import type { HealthProber, Worker } from "../fleet/index.ts";
import { startExtProcServer } from "../surface/ext-proc/index.ts";
import type { Logger, Metrics, RequestTracer } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { gatewayRouter } from "./decisions.ts";
import { extProcOptions } from "./ext-proc-options.ts";
import type { KvFollower } from "./kv-follower.ts";
import { LlmdWatcher } from "./llmd-watcher.ts";
import { hasRouteApi, modesOf } from "./modes.ts";
import { ObservedRouter } from "./observed-router.ts";
import type { RecoveryView } from "./peer-recovery.ts";
import { startProxy } from "./proxy.ts";
import { startQueueFront } from "./queue.ts";
import type { Replication } from "./replication.ts";
import type { RequestWatcher } from "./request-watch.ts";
import { RewritingRouter } from "./rewriting-router.ts";
import { routeOperationsOf, startRouteApi } from "./route-api.ts";
import { tellingRefusals } from "./route-refusals.ts";
import { TraceWatcher } from "./trace-watcher.ts";

/** What answers requests. */
export interface Surface {
  /** Where it listens, by the setting's name; for the log. */
  readonly addresses: Readonly<Record<string, unknown>>;
  /** Takes connections from here on, where it shares its port with other processes; elsewhere it does so from the start. Rejects with ListenError. */
  open(): Promise<void>;
  /** Says whether requests can be answered: the models are loaded, and it is known who the workers are. */
  setReady(isReady: boolean): void;
  /** Lets what runs end, and cuts it after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

export interface SurfaceParts {
  readonly core: Core;
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly follower: KvFollower;
  /** Undefined when there are no peers to recover from. */
  readonly recovery: RecoveryView | undefined;
  /** What is wrong with how a worker is set up. */
  readonly problemsOf: (worker: Worker) => readonly object[];
  /** Undefined where load is not shared. */
  readonly replication: Replication | undefined;
  /** Undefined = there are no traces. */
  readonly tracer: RequestTracer | undefined;
  /** Who follows requests, the surface's own apart. */
  readonly watchers: readonly RequestWatcher[];
  /** Undefined = nobody keeps the workers' health. */
  readonly prober: HealthProber | undefined;
}

/** Starts the surfaces of the configured modes. @param running receives each once it has to be closed */
export async function startSurfaces(
  parts: SurfaceParts,
  running: { close(): Promise<void> }[],
): Promise<readonly Surface[]> {
  const surfaces: Surface[] = [];
  const add = (surface: Surface): void => {
    surfaces.push(surface);
    running.push(surface);
  };
  if (modesOf(parts.config).includes("ext-proc")) add(await startExtProc(parts));
  if (modesOf(parts.config).includes("proxy")) add(await startProxySurface(parts));
  if (modesOf(parts.config).includes("queue")) add(await startQueueSurface(parts));
  if (hasRouteApi(parts.config)) add(await startHttp(parts));
  return surfaces;
}

async function startExtProc({ core, config, log, metrics, tracer, ...parts }: SurfaceParts): Promise<Surface> {
  const { llmd } = metrics;
  const watchers: RequestWatcher[] = [...parts.watchers];
  if (tracer !== undefined) watchers.push(new TraceWatcher(tracer));
  if (llmd !== undefined) watchers.push(new LlmdWatcher(llmd, core.objectives));
  const observed = new ObservedRouter(core.router, metrics.requests, log, watchers);
  const router = new RewritingRouter(observed, core.rewrites);
  const picker = gatewayRouter(router, observed, { core, config });
  const server = await startExtProcServer(extProcOptions(config), picker, metrics.requests, log);
  return {
    addresses: { extProc: server.address, health: server.healthAddress },
    open: () => server.open(),
    setReady: (isReady) => server.setReady(isReady),
    drain: (timeoutMs) => server.drain(timeoutMs),
    close: () => server.close(),
  };
}

async function startProxySurface(parts: SurfaceParts): Promise<Surface> {
  const { server, close } = await startProxy(parts);
  return {
    addresses: { proxy: server.address },
    open: () => server.open(),
    setReady: (isReady) => server.setReady(isReady),
    drain: (timeoutMs) => server.drain(timeoutMs),
    close,
  };
}

async function startQueueSurface(parts: SurfaceParts): Promise<Surface> {
  const { server, ...front } = await startQueueFront(parts);
  return { addresses: { queue: server.address }, ...front };
}

async function startHttp(parts: SurfaceParts): Promise<Surface> {
  const { config, log, metrics, recovery } = parts;
  let isReady = false;
  let isClosed = false;
  const isCaughtUp = () => recovery?.isCaughtUp ?? true;
  const served = routeOperationsOf({ ...parts, isReady: () => isReady && isCaughtUp() }, config);
  const operations = tellingRefusals(served, metrics.refusals);
  const { addresses, close } = await startRouteApi(operations, config, { metrics, log });
  const closeAll = async (drainMs: number, noticeMs: number) => {
    isClosed = true;
    isReady = false;
    if (noticeMs > 0) await new Promise((resolve) => setTimeout(resolve, noticeMs));
    await close(drainMs);
  };
  return {
    addresses: { routeApi: addresses },
    // Its port is never shared.
    open: async () => undefined,
    setReady: (now) => {
      isReady = now && !isClosed;
    },
    drain: (timeoutMs) => closeAll(timeoutMs, config.shutdown.readinessDelayMs),
    close: () => closeAll(0, 0),
  };
}
