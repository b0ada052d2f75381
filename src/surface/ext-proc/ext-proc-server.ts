import { ServerCredentials } from "@grpc/grpc-js";
import { ListenError, RoutingError } from "../../errors/index.ts";
import { BufferPool, type Clock, systemClock } from "../../http/index.ts";
import { Admission } from "./admission.ts";
import { HeaderRemovals } from "./control-headers.ts";
import { GrpcServer, joinHostPort } from "./grpc-server.ts";
import { HealthService } from "./health-service.ts";
import { MismatchLog } from "./mismatch-log.ts";
import { OpenStreams } from "./open-streams.ts";
import { type ExtProcOptions, type ResolvedExtProcOptions, resolveExtProcOptions } from "./options.ts";
import type { PickRouter } from "./pick-router.ts";
import { ProcessStream } from "./process-stream.ts";
import { ResponseEncoder } from "./response-encoder.ts";
import { EXT_PROC_SERVICE_NAME, loadServiceDefinitions } from "./service-definitions.ts";
import { SlowRequests } from "./slow-requests.ts";
import type { ExtProcLogger, ExtProcTelemetry } from "./telemetry.ts";
import { type ListenerCredentials, listenerCredentials } from "./tls-credentials.ts";

/** A listening ext_proc surface. It starts not ready, and with a shared port it does not listen there before `open`. */
export interface ExtProcServer {
  /** `host:port` of the ext_proc service; health is answered there too. */
  readonly address: string;
  /** `host:port` of the plain-text health service; undefined when it is off. */
  readonly healthAddress: string | undefined;
  /** Listens on the ext_proc port, if it does not yet and is not closed. Rejects with ListenError. */
  open(): Promise<void>;
  /** What the health services say; `liveness` is always serving. */
  setReady(isReady: boolean): void;
  /**
   * Stops without losing requests: readiness goes; after `drainNoticeMs` new requests get 503 and open streams finish; what
   * is open after `timeoutMs` is refused or cut. Resolves when closed.
   */
  drain(timeoutMs: number): Promise<void>;
  /** Cuts all streams and closes both ports. */
  close(): Promise<void>;
}

/** How long refusals written at the end of a drain may take to leave. */
const LAST_WORDS_MS = 200;

/**
 * Starts the ext_proc surface.
 * @throws RangeError for a bad setting; ListenError; Error when a certificate cannot be used
 */
export async function startExtProcServer(
  options: ExtProcOptions,
  router: PickRouter,
  telemetry: ExtProcTelemetry,
  logger: ExtProcLogger,
  clock: Clock = systemClock,
): Promise<ExtProcServer> {
  const resolved = resolveExtProcOptions(options);
  const health = new HealthService();
  const admission = new Admission(resolved, (totals) => telemetry.inFlight(totals));
  const streams = new OpenStreams();
  const removals = new HeaderRemovals();
  const pool = new BufferPool(resolved.maxReusedBufferBytes);
  const mismatches = new MismatchLog(logger, clock);
  const session = { router, telemetry, logger, clock, admission, removals, mismatches, pool, options: resolved };
  const context = { session, streams, encoder: new ResponseEncoder(pool) };
  const main = new GrpcServer(resolved, (err) => noteBroken(err, logger));
  // A probe that speaks no gRPC, each few seconds: no request is lost by it.
  const probed = (err: Error) => logger.debug({ err }, "health: a connection broke; the port speaks gRPC");
  const healthOnly = new GrpcServer({ ...resolved, sharesPort: false }, probed);
  const definitions = loadServiceDefinitions();
  main.addStreams(`/${EXT_PROC_SERVICE_NAME}/Process`, (stream) => new ProcessStream(stream, context));
  for (const server of [main, healthOnly]) server.addService(definitions.health, health.implementation);
  const listener = await listenerCredentials(resolved.tls, clock, logger);
  const slow = new SlowRequests(streams, clock, resolved.bodyDeadlineMs);
  const running = new RunningServer({ servers: [main, healthOnly], listener, health, admission, streams, slow, clock });
  try {
    const { host } = resolved;
    const bind = () => listen(main, { setting: "extProc.listen", host, port: resolved.port }, listener.credentials);
    // Connections would be taken from the other processes, which may be ready.
    const port = resolved.sharesPort ? resolved.port : await bind();
    const healthAddress = await listenForHealth(healthOnly, resolved);
    const address = joinHostPort(host, port);
    const { sharesPort, drainNoticeMs } = resolved;
    return running.as({ address, healthAddress, drainNoticeMs, bind: sharesPort ? bind : undefined });
  } catch (error) {
    await running.close();
    throw error;
  }
}

/** A gateway that goes without a word is its own affair; anything else ends all requests on the connection, and nothing else tells why. */
function noteBroken(err: NodeJS.ErrnoException, logger: ExtProcLogger): void {
  const isGone = err.code === "ECONNRESET" || err.code === "EPIPE";
  logger[isGone ? "debug" : "warn"]({ err }, "ext_proc: a connection broke, with all its streams");
}

/** @returns `host:port`; undefined when the service is off */
async function listenForHealth(server: GrpcServer, options: ResolvedExtProcOptions): Promise<string | undefined> {
  const { healthHost, healthPort } = options;
  if (healthPort === "off") return undefined;
  const place = { setting: "health.listen", host: healthHost, port: healthPort };
  return joinHostPort(healthHost, await listen(server, place, ServerCredentials.createInsecure()));
}

/** @returns the port. @throws ListenError */
async function listen(
  server: GrpcServer,
  { setting, host, port }: { readonly setting: string; readonly host: string; readonly port: number },
  credentials: ServerCredentials,
): Promise<number> {
  try {
    return await server.listen(host, port, credentials);
  } catch (cause) {
    throw new ListenError({ setting, address: joinHostPort(host, port) }, { cause });
  }
}

/** A health service without an ext_proc surface: it speaks for other processes. It starts not ready. */
export interface HealthServer {
  /** `host:port`; undefined when it is off. */
  readonly address: string | undefined;
  setReady(isReady: boolean): void;
  /** Not ready from here on. */
  drain(): void;
  close(): Promise<void>;
}

/** Starts it. @throws ListenError */
export async function startHealthServer(
  options: Pick<ExtProcOptions, "healthHost" | "healthPort">,
): Promise<HealthServer> {
  const resolved = resolveExtProcOptions(options);
  const health = new HealthService();
  const server = new GrpcServer(resolved, () => undefined);
  server.addService(loadServiceDefinitions().health, health.implementation);
  const address = await listenForHealth(server, resolved);
  return {
    address,
    setReady: (isReady) => health.setReady(isReady),
    drain: () => health.drain(),
    close: () => server.shutDown(AbortSignal.abort()),
  };
}

interface RunningParts {
  readonly servers: readonly GrpcServer[];
  readonly listener: ListenerCredentials;
  readonly health: HealthService;
  readonly admission: Admission;
  readonly streams: OpenStreams;
  readonly slow: SlowRequests;
  readonly clock: Clock;
}

interface Listening {
  readonly address: string;
  readonly healthAddress: string | undefined;
  readonly drainNoticeMs: number;
  /** Listens at `address`; undefined = it does so already. */
  readonly bind: (() => Promise<unknown>) | undefined;
}

/** What is left to do with a server: to open it, and to stop it. */
class RunningServer {
  readonly #parts: RunningParts;
  #isOpen = false;
  #isStopped = false;

  constructor(parts: RunningParts) {
    this.#parts = parts;
  }

  as({ address, healthAddress, drainNoticeMs, bind }: Listening): ExtProcServer {
    this.#isOpen = bind === undefined;
    return {
      address,
      healthAddress,
      open: async () => {
        if (this.#isOpen || this.#isStopped) return;
        this.#isOpen = true;
        await bind?.();
      },
      setReady: (isReady) => this.#parts.health.setReady(isReady),
      drain: (timeoutMs) => this.drain(timeoutMs, drainNoticeMs),
      close: () => this.close(),
    };
  }

  async drain(timeoutMs: number, noticeMs: number): Promise<void> {
    const { health, admission, streams, clock } = this.#parts;
    const endMs = clock.now() + timeoutMs;
    health.drain();
    await this.#wait(Math.min(noticeMs, timeoutMs));
    admission.refuseNew();
    await this.#wait(endMs - clock.now(), streams.whenEmpty());
    for (const session of streams.unanswered()) {
      session.refuse(new RoutingError("the endpoint picker is shutting down", { code: "shutting_down" }));
    }
    await this.#stop(LAST_WORDS_MS);
  }

  close(): Promise<void> {
    return this.#stop(0);
  }

  async #stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.#parts.listener.close();
    this.#parts.slow.close();
    const cut = new AbortController();
    const cancel = graceMs > 0 ? this.#parts.clock.after(graceMs, () => cut.abort()) : undefined;
    if (graceMs === 0) cut.abort();
    await Promise.all(this.#parts.servers.map((server) => server.shutDown(cut.signal)));
    cancel?.();
  }

  /** Waits for a time, or for a promise if that is sooner. */
  async #wait(delayMs: number, sooner?: Promise<void>): Promise<void> {
    let cancel: () => void = () => undefined;
    const elapsed = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(Math.max(0, delayMs), resolve);
    });
    await (sooner === undefined ? elapsed : Promise.race([elapsed, sooner]));
    cancel();
  }
}
