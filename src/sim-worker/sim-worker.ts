import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ListenError } from "../errors/index.ts";
import { BlockCache, type CacheEvent } from "./block-cache.ts";
import { BlockIdentity } from "./block-identity.ts";
import { SimEngine } from "./engine.ts";
import { EngineMetrics } from "./engine-metrics.ts";
import { FaultInjector } from "./fault-injector.ts";
import { GenerationHandler } from "./generation-handler.ts";
import { KvEventPublisher } from "./kv-event-publisher.ts";
import { type ResolvedSimWorkerOptions, resolveSimWorkerOptions, type SimWorkerOptions } from "./options.ts";
import { Pairing } from "./pairing/pairing.ts";
import { pseudoTokenize } from "./pseudo-tokenizer.ts";
import { RequestLog, type RequestRecord } from "./request-log.ts";
import { ScoringHandler } from "./scoring-handler.ts";
import { systemClock } from "./sim-clock.ts";
import { SimServer } from "./sim-server.ts";

/** Where a worker reports that it runs; a pino logger fits. */
export interface SimWorkerLogger {
  info(fields: object, message: string): void;
}

/** State of a worker at one moment. */
export interface SimWorkerStats {
  readonly running: number;
  readonly waiting: number;
  /** Requests that wait for the other worker of their pair, and prompts that it has not fetched. */
  readonly pairsWaiting: number;
  /** Blocks that running requests hold. */
  readonly blocksInUse: number;
  /** Blocks that a prompt could hit. */
  readonly cachedBlocks: number;
  /** Prompt tokens of all requests admitted. */
  readonly promptTokens: number;
  /** Those of them that were cached. */
  readonly cachedTokens: number;
  /** Batches of KV events numbered so far. */
  readonly eventBatches: number;
  /** Blocks stored and removed and clearings told in them. */
  readonly eventChanges: number;
}

/** A simulated worker that listens. */
export interface SimWorker {
  readonly name: string;
  /** `host:port`, an IPv6 host in brackets. */
  readonly endpoint: string;
  /** `tcp://host:port` of the KV events; undefined without. */
  readonly kvEventsEndpoint: string | undefined;
  /** `tcp://host:port` of the replay socket; undefined without. */
  readonly kvReplayEndpoint: string | undefined;
  stats(): SimWorkerStats;
  /** The last requests received, oldest first. */
  requests(limit?: number): readonly RequestRecord[];
  /** Changes fault settings, as `POST /sim/config` does. Throws RangeError naming a bad one. */
  configure(faults: Readonly<Record<string, unknown>>): void;
  /** Empties the cache, as `POST /sim/reset` does. */
  resetCache(): void;
  /**
   * Stops taking connections, lets running requests end for up to `graceMs` (default 1000; 0 cuts them at once), and
   * frees all ports.
   */
  close(graceMs?: number): Promise<void>;
}

/**
 * Starts a worker that pretends to be a vLLM server: real HTTP, a real prefix cache, KV events on ZMQ, invented text
 * and time. Rejects with RangeError on a bad option, and with ListenError when a port is taken.
 */
export async function startSimWorker(options: SimWorkerOptions = {}, logger?: SimWorkerLogger): Promise<SimWorker> {
  const resolved = resolveSimWorkerOptions(options);
  const faults = new FaultInjector(resolved.faults, systemClock, resolved.random);
  const publisher = await openPublisher(resolved, faults);
  const server = createServer({ noDelay: true, keepAlive: true, requestTimeout: 0, maxHeaderSize: 65_536 });
  try {
    // Never the first to drop an idle connection: a gateway could be sending on it.
    server.keepAliveTimeout = 0;
    await listen(server, resolved);
  } catch (error) {
    await publisher?.close();
    throw error;
  }
  const endpoint = endpointOf(server);
  const name = resolved.name ?? `sim-${endpoint.port}`;
  const worker = assemble(name, endpoint.text, resolved, server, faults, publisher);
  logger?.info({ name, endpoint: endpoint.text, kvEvents: publisher?.endpoint }, "simulated worker listens");
  return worker;
}

function assemble(
  name: string,
  endpoint: string,
  options: ResolvedSimWorkerOptions,
  server: Server,
  faults: FaultInjector,
  publisher: KvEventPublisher | undefined,
): SimWorker {
  const { blockSize, gpuBlocks } = options;
  const metrics = new EngineMetrics(options.models[0] ?? "", { blockSize, gpuBlocks });
  const onEvent = (event: CacheEvent) => publisher?.tell(event);
  const identity = new BlockIdentity(blockSize, options.hashSeed);
  const cache = new BlockCache({ capacityBlocks: gpuBlocks, blockSize, identity, onEvent });
  const engine = new SimEngine(cache, options.timing, systemClock, metrics);
  const log = new RequestLog(options.recordedRequests, options.recordedBodyBytes);
  const pairing = new Pairing(options.pairRole, options.pairIgnoredOn, () => hostAndPort(endpoint));
  const generation = new GenerationHandler(engine, options, options.tokenize ?? pseudoTokenize, faults, pairing);
  const scoring = new ScoringHandler(engine, faults);
  const stats = (): SimWorkerStats => ({
    running: engine.running,
    waiting: engine.waiting,
    pairsWaiting: pairing.meeting.held,
    blocksInUse: cache.blocksInUse,
    cachedBlocks: cache.cachedBlocks,
    promptTokens: metrics.promptTokens,
    cachedTokens: metrics.cachedTokens,
    eventBatches: publisher?.batches ?? 0,
    eventChanges: publisher?.changes ?? 0,
  });
  const parts = { name, options, engine, metrics, faults, log, generation, scoring, pairing, stats };
  const simServer = new SimServer(parts);
  server.on("request", (request, response) => void simServer.handle(request, response));
  return {
    name,
    endpoint,
    kvEventsEndpoint: publisher?.endpoint,
    kvReplayEndpoint: publisher?.replayEndpoint,
    stats,
    requests: (limit = options.recordedRequests) => log.last(limit),
    configure: (changes) => faults.change(changes),
    resetCache: () => cache.clear(),
    close: async (graceMs = 1000) => {
      await closeServer(server, graceMs);
      await publisher?.close();
    },
  };
}

async function openPublisher(
  options: ResolvedSimWorkerOptions,
  faults: FaultInjector,
): Promise<KvEventPublisher | undefined> {
  if (options.kvEventsPort === undefined) return undefined;
  return await KvEventPublisher.open({
    host: options.host,
    port: options.kvEventsPort,
    replayPort: options.kvReplayPort,
    replayFraming: options.kvReplayFraming,
    replayBatches: options.kvReplayBatches,
    format: options.kvEventFormat,
    blockSize: options.blockSize,
    dpRank: options.dpRank,
    isLost: () => faults.losesEvents(),
    now: Date.now,
  });
}

function listen(server: Server, options: ResolvedSimWorkerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const { host, port } = options;
    const fail = (cause: Error) =>
      reject(
        new ListenError(
          { setting: "--port", address: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}` },
          { cause },
        ),
      );
    server.once("error", fail);
    server.listen({ port, host, backlog: 4096 }, () => {
      server.removeListener("error", fail);
      resolve();
    });
  });
}

function endpointOf(server: Server): { readonly text: string; readonly port: number } {
  const { address, family, port } = server.address() as AddressInfo;
  return { text: `${family === "IPv6" ? `[${address}]` : address}:${port}`, port };
}

function hostAndPort(endpoint: string): { readonly host: string; readonly port: number } {
  const colon = endpoint.lastIndexOf(":");
  return { host: endpoint.slice(0, colon), port: Number(endpoint.slice(colon + 1)) };
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
