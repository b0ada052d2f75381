import {
  QueueClient,
  type QueueClientOptions,
  type QueueObserver,
  systemQueueEnvironment,
} from "../../../src/queue/index.ts";
import type { RedisSecrets } from "../../../src/redis/index.ts";

const noSecrets: RedisSecrets = async () => ({ password: undefined, tls: { rejectUnauthorized: true } });

/** A client with what it told. */
export interface WatchedClient {
  readonly client: QueueClient;
  readonly told: string[];
}

/** @param url of a Redis server */
export async function watchedClient(
  url: string,
  options: Partial<QueueClientOptions> = {},
  secrets = noSecrets,
): Promise<WatchedClient> {
  const told: string[] = [];
  const observer: QueueObserver = {
    connected: () => told.push("connected"),
    lost: () => told.push("lost"),
    orphaned: (reason) => told.push(`orphaned ${reason}`),
    cancelled: (why, wasKnown) => told.push(`cancelled ${why} ${wasKnown}`),
    failed: (operation) => told.push(`failed ${operation}`),
    removed: (instances) => told.push(...instances.map((name) => `removed ${name}`)),
  };
  const client = await QueueClient.start(
    { redis: { url, timeoutMs: 10_000, reconnectMinMs: 20, reconnectMaxMs: 100 }, ...options },
    { secrets, observer, environment: systemQueueEnvironment },
  );
  return { client, told };
}

export const never: AbortSignal = new AbortController().signal;

export function chat(more: object = {}) {
  return {
    payload: Buffer.from(JSON.stringify({ model: "m", messages: [], ...more })),
    endpoint: "/v1/chat/completions",
    timeoutMs: 60_000,
  };
}
