import { performance } from "node:perf_hooks";
import { type Config, isLoopback } from "../config/index.ts";
import { ApiKeys, BodyIntake, Cors, FrontGate, type FrontServer, systemClock } from "../http/index.ts";
import { QueueClient, type QueueObserver, systemQueueEnvironment } from "../queue/index.ts";
import {
  BodyReader,
  Callers,
  KeptResults,
  type QueueApiKey,
  QueueDoor,
  QueueModels,
  type QueueTelemetry,
  SharedCalls,
  TrackedRequests,
} from "../surface/queue/index.ts";
import type { Logger, Metrics } from "../telemetry/index.ts";
import { apiKeysOf, areKeysNeeded, watchApiKeys } from "./api-keys.ts";
import { listenForClients } from "./front-listener.ts";
import { QueueCanaries } from "./queue-canaries.ts";
import { queueClientOptions, queueNames } from "./queue-client-options.ts";
import { readRedisSecrets } from "./redis-secrets.ts";

/** What the queue's front needs of a running process. */
export interface QueueFrontParts {
  readonly config: Config;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** A listening front with its connection to the queues. */
export interface RunningQueueFront {
  readonly server: FrontServer;
  open(): Promise<void>;
  setReady(isReady: boolean): void;
  drain(timeoutMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Listens for clients. Rejects when it cannot, when a file cannot be used, or the queue's Redis is of a kind that will not do. */
export async function startQueueFront({ config, log, metrics }: QueueFrontParts): Promise<RunningQueueFront> {
  const { queue } = config;
  const listed = await apiKeysOf(queue, "queue");
  const keys = new ApiKeys<QueueApiKey>(listed, areKeysNeeded(queue), () => performance.now());
  if (!keys.areNeeded && !isLoopback(queue.listen)) {
    log.warn({ listen: queue.listen }, "the queue's front asks nobody for a key: see queue.apiKeys");
  }
  const secrets = () => readRedisSecrets(queue.redis);
  await secrets();
  const observer = queueObserver(metrics, log);
  const client = await QueueClient.start(queueClientOptions(queue), {
    secrets,
    observer,
    environment: systemQueueEnvironment,
  });
  const queues = queueNames(queue, listed);
  const canaries = new QueueCanaries(client, queue, queues, log);
  try {
    const door = queueDoor({ config, log, metrics }, client, { keys, canaries, queues });
    const server = await listenForClients("queue", door, config, log);
    const stopWatching = watchApiKeys(queue, "queue", listed, (changed) => keys.replace(changed), log);
    canaries.start();
    return {
      server,
      open: () => server.open(),
      setReady: (isReady) => server.setReady(isReady),
      drain: (timeoutMs) => server.drain(timeoutMs),
      close: async () => {
        stopWatching();
        await canaries.close();
        await server.close();
        await client.close();
      },
    };
  } catch (error) {
    await canaries.close();
    await client.close();
    throw error;
  }
}

interface DoorParts {
  readonly keys: ApiKeys<QueueApiKey>;
  readonly canaries: QueueCanaries;
  /** Every queue that requests may go to. */
  readonly queues: readonly string[];
}

function queueDoor(
  { config: { queue }, log, metrics }: QueueFrontParts,
  client: QueueClient,
  { keys, canaries, queues }: DoorParts,
): QueueDoor {
  const intake = new BodyIntake(queue, systemClock);
  const now = () => performance.now();
  const { idempotency, requests } = queue;
  const gate = new FrontGate({
    keys,
    cors: new Cors(queue.cors),
    intake,
    options: { maxRequests: queue.maxRequests, answersPreflights: queue.cors.origins.length > 0 },
  });
  const door = new QueueDoor({
    gate,
    models: new QueueModels(queue.models, Date.now()),
    isQueueUp: () => client.isConnected,
    mayServe: () => canaries.mayServe,
    call: {
      queue: client,
      bodies: new BodyReader(queue.maxBodyBytes),
      callers: new Callers({
        trustsHeaders: queue.trustHeaders,
        headers: queue.traitHeaders,
        defaults: queue.traits,
        metadata: queue.metadata,
        routes: queue.routes,
        defaultQueue: queue.requestQueue,
      }),
      shared: idempotency.enabled ? new SharedCalls(new KeptResults(idempotency, now), queue.maxWaiters) : undefined,
      tracked: requests.enabled ? new TrackedRequests(new KeptResults(requests, now)) : undefined,
      telemetry: telemetryOf(metrics),
      log,
      clock: systemClock,
      settings: {
        ...queue,
        discouragesRetries: queue.discourageRetries,
        replaysStreams: queue.streaming === "replay",
        forwardedHeaders: queue.forwardHeaders,
        readsModeHeader: requests.enabled,
      },
    },
    options: queue,
  });
  metrics.queue.sample({
    get running() {
      return gate.running;
    },
    get waiting() {
      return client.waiting;
    },
    get isConnected() {
      return client.isConnected;
    },
    get heldBodyBytes() {
      return intake.heldBytes;
    },
    get depths() {
      return new Map(queues.map((name) => [name, client.depthOf(name) ?? 0]));
    },
  });
  return door;
}

function telemetryOf({ queue, refusals }: Metrics): QueueTelemetry {
  return {
    received: (endpoint) => queue.received(endpoint),
    resulted: (waitMs) => queue.resulted(waitMs),
    answered: (endpoint, status, sinceReceivedMs) => queue.answered(endpoint, status, sinceReceivedMs),
    refused: (refusal) => {
      queue.refused(refusal.code);
      refusals.add({ ...refusal, surface: "queue" });
    },
    left: () => queue.left(),
  };
}

function queueObserver({ queue }: Metrics, log: Logger): QueueObserver {
  return {
    connected: () => log.info({}, "the queue's Redis is connected"),
    lost: (err) => log.error({ err }, "the queue's Redis cannot be reached: requests are answered 503"),
    orphaned: (reason) => queue.orphaned(reason),
    cancelled: (reason) => queue.cancelled(reason),
    failed: (operation, err) => {
      queue.failed(operation);
      log.warn({ err, operation }, "the queue's Redis did not carry out a command");
    },
    removed: (instances) => {
      queue.removed(instances.length);
      log.info({ instances }, "what dead instances had left in the queue's Redis was removed");
    },
  };
}
