import type { Redis } from "ioredis";
import { encodeMember, type QueuedRequest } from "./envelope.ts";
import { defaults, type QueueOptions, type TransportOptions } from "./options.ts";
import type { Result } from "./result.ts";

/** A member that was taken from its queue and could be read. */
export interface Taken {
  readonly member: string;
  readonly score: number;
}

/** How one version takes requests from Redis, gives them back and says what came of them. */
export interface Broker {
  /** At most `count` members, each handed to `handle` before the next is taken. */
  take(queue: QueueOptions, count: number, handle: (taken: Taken) => Promise<void>): Promise<void>;
  /** Removes a member that cannot be read; it is the last that anybody hears of it. */
  destroy(queue: QueueOptions, taken: Taken): Promise<void>;
  /** Makes the request this processor's own. @returns false when another one was faster */
  claim(queue: QueueOptions, request: QueuedRequest, taken: Taken): Promise<boolean>;
  /** Whether a request that expired in its queue gets a result. */
  readonly tellsOfExpiry: boolean;
  /** Back to its queue, as it was. */
  refuse(queue: QueueOptions, request: QueuedRequest, taken: Taken): Promise<void>;
  /** To the retry queue, due at `dueS` (Unix time). */
  park(queue: QueueOptions, request: QueuedRequest, dueS: number): Promise<void>;
  /** The result to its list, and the request's keys away. */
  finish(queue: QueueOptions, request: QueuedRequest, result: Result): Promise<void>;
  /** Removes the state keys of a request of which nobody is told. */
  cleanUp(request: QueuedRequest): Promise<void>;
  /** Ends what runs by itself. */
  close(): Promise<void>;
}

const cleanupScript = `
local removed = 0
for _, key in ipairs(KEYS) do
  if redis.call('GET', key) == ARGV[1] then removed = removed + redis.call('DEL', key) end
end
return removed`;

/** Deletes the keys of a request's state as far as they are of this submission. */
export async function cleanUp(redis: Redis, { id, internal }: QueuedRequest): Promise<void> {
  const keys = [`request-active:${id}`, `request-cancel:${id}`];
  await redis.eval(cleanupScript, keys.length, ...keys, internal.request_token ?? "");
}

/** The list that a request's result goes to: its queue's own beats the one that the request names. */
export function resultListOf(transport: TransportOptions, queue: QueueOptions, { internal }: QueuedRequest): string {
  const { result_queue_name: fallback = defaults.resultQueue } = transport;
  return queue.result_queue_name || internal.result_queue_name || fallback;
}

/** Whether its sender has cancelled this very submission. Rejects when Redis cannot say. */
export async function isCancelled(redis: Redis, { id, internal }: QueuedRequest): Promise<boolean> {
  const token = await redis.get(`request-cancel:${id}`);
  return token !== null && token === internal.request_token;
}

export async function addToRetryQueue(
  redis: Redis,
  transport: TransportOptions,
  request: QueuedRequest,
  dueS: number,
): Promise<void> {
  await redis.zadd(transport.retry_queue_name ?? defaults.retryQueue, dueS, encodeMember(request));
}
