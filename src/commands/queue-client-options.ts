import { type Config, parseAddress } from "../config/index.ts";
import type { QueueClientOptions } from "../queue/index.ts";

type QueueSettings = Config["queue"];

/** The queues' client as the settings ask for it. */
export function queueClientOptions(queue: QueueSettings): QueueClientOptions {
  const { redis, wire, requestQueue, resultLists, resultPrefix, maxWaiters, resultsAtOnce, maxQueueDepth } = queue;
  const { heartbeatMs, lateResultMs, deadlineMarginMs, maxTimeoutMs } = queue;
  const { sentinel, username, timeoutMs, reconnectMinMs, reconnectMaxMs } = redis;
  const place = { url: redis.url ?? "redis://sentinels", username, timeoutMs };
  return {
    redis: { ...place, sentinel: sentinelOf(sentinel), reconnectMinMs, reconnectMaxMs },
    wire,
    defaultQueue: requestQueue,
    resultLists,
    resultPrefix,
    maxWaiters,
    resultsAtOnce,
    maxQueueDepth,
    heartbeatMs,
    // Nothing that was asked of an instance can come later than this.
    instanceSilentMs: maxTimeoutMs + lateResultMs,
    lateResultMs,
    deadlineMarginMs,
  };
}

function sentinelOf({ addresses, name, username }: QueueSettings["redis"]["sentinel"]) {
  if (addresses.length === 0) return undefined;
  return { name: name ?? "", addresses: addresses.map(parseAddress), username };
}

/** Every queue that requests may go to. @param keys of all callers */
export function queueNames(
  { requestQueue, routes }: QueueSettings,
  keys: readonly { readonly queue?: string | undefined }[],
): readonly string[] {
  const named = [...routes, ...keys].map(({ queue }) => queue);
  return [...new Set([requestQueue, ...named.filter((name) => name !== undefined)])];
}
