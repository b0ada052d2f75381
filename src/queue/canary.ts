import { Buffer } from "node:buffer";
import type { Redis } from "ioredis";
import { memberParts } from "./member.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { QueueEnvironment } from "./queue-environment.ts";
import type { QueueRequest } from "./queue-request.ts";
import { activeKey, cancelKey } from "./scripts.ts";
import type { Submission } from "./submission.ts";

/** Whether results of a queue come back to who submits there. */
export type CanaryFinding =
  | { readonly kind: "arrived" }
  /** A processor has dealt with it, and its result went elsewhere. */
  | { readonly kind: "swallowed" /** Undefined = nobody knows where. */; readonly foundIn: string | undefined }
  /** No processor has dealt with it in time: none runs, or its gate is closed. */
  | { readonly kind: "not_taken" }
  /** Redis cannot be reached. */
  | { readonly kind: "unavailable" };

interface CanaryQuestion {
  readonly queue: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a canary works with. */
interface CanaryMeans {
  readonly client: Redis;
  readonly environment: QueueEnvironment;
  wait(request: QueueRequest): PendingRequest;
}

const lookEveryMs = 200;
/** How long a result may be on its way once its request is done with, ms. */
const graceMs = 1_500;
/** How much longer the canary lives than it is looked at, ms: what it leaves when it dies looks like a request that was done. */
const spareMs = 5_000;
/** Where llm-d-async puts results unless it is told otherwise, and how many of the newest are looked at. */
const usualList = "result-list";
const lookedAt = 200;
/** Names no model, should a processor not know of cancellations. */
const payload = Buffer.from('{"model":"pointsman-canary","messages":[]}');

/** Submits a request that is cancelled already, and looks what becomes of it. Rejects with the signal's reason. */
export async function runCanary(
  { queue, timeoutMs, signal }: CanaryQuestion,
  means: CanaryMeans,
): Promise<CanaryFinding> {
  const { client, environment } = means;
  const id = `canary-${environment.uuid()}`;
  const request = { id, payload, endpoint: "/v1/chat/completions", queue, timeoutMs: timeoutMs + spareMs };
  const pending = means.wait(request);
  const member = Buffer.concat(memberParts(pending.submission, false));
  const arrival = new Arrival(pending);
  try {
    await plant(client, pending.submission, member, environment.wallMs());
    return await watch(arrival, id, { client, environment, endMs: environment.now() + timeoutMs, signal });
  } catch {
    signal.throwIfAborted();
    return { kind: "unavailable" };
  } finally {
    await client.zrem(queue, member).catch(() => undefined);
    pending.forget();
  }
}

/** Whether the result has come. */
class Arrival {
  hasCome = false;

  constructor({ result }: PendingRequest) {
    result.then(
      () => {
        this.hasCome = true;
      },
      () => undefined,
    );
  }
}

interface Watch extends Pick<CanaryMeans, "client" | "environment"> {
  readonly endMs: number;
  readonly signal: AbortSignal;
}

async function watch(
  arrival: Arrival,
  id: string,
  { client, environment, endMs, signal }: Watch,
): Promise<CanaryFinding> {
  let doneMs: number | undefined;
  while (!arrival.hasCome && environment.now() < endMs) {
    await pause(lookEveryMs, environment, signal);
    if (doneMs === undefined && (await client.exists(activeKey(id))) === 0) doneMs = environment.now();
    if (arrival.hasCome || doneMs === undefined || environment.now() - doneMs < graceMs) continue;
    return { kind: "swallowed", foundIn: await takeOut(client, usualList, id) };
  }
  return { kind: arrival.hasCome ? "arrived" : "not_taken" };
}

async function plant(
  client: Redis,
  { id, token, queue, deadline }: Submission,
  member: Buffer,
  nowMs: number,
): Promise<void> {
  const ttlMs = Math.max(1_000, Math.round(deadline * 1_000 - nowMs));
  const replies = await client
    .multi()
    .set(activeKey(id), token, "PX", ttlMs)
    .set(cancelKey(id), token, "PX", ttlMs)
    .zadd(queue, deadline, member)
    .exec();
  for (const [error] of replies ?? []) if (error !== null) throw error;
}

/** The list, when the result stands there; it is taken out, for it is of no use to anybody. */
async function takeOut(client: Redis, list: string, id: string): Promise<string | undefined> {
  const newest = await client.lrange(list, 0, lookedAt - 1).catch(() => []);
  const own = newest.find((text) => text.includes(id));
  if (own === undefined) return undefined;
  await client.lrem(list, 1, own).catch(() => undefined);
  return list;
}

function pause(delayMs: number, { after }: Pick<QueueEnvironment, "after">, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = after(delayMs, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
