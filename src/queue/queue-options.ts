import type { RedisPlace, RedisSecrets, RetryPace } from "../redis/index.ts";
import { type QueueEnvironment, systemQueueEnvironment } from "./queue-environment.ts";
import type { OrphanReason } from "./waiters.ts";

/**
 * What is written for a request. `v0.9`: a transaction, as llm-d-async up to v0.9 does. `v0.10`: a script that numbers the requests of one
 * deadline, so that they keep their order.
 */
export type QueueWire = "v0.9" | "v0.10";

export interface QueueClientOptions {
  readonly redis: RedisPlace & RetryPace;
  /** Default `v0.9`, which every processor reads. */
  readonly wire?: QueueWire;
  /** Sorted set of requests that name none. Default `request-sortedset`. */
  readonly defaultQueue?: string;
  /** Whether results come by one list of this instance, or by one for each request. Default `instance`. */
  readonly resultLists?: "instance" | "request";
  /** Start of the names of result lists. Default `resp:`. */
  readonly resultPrefix?: string;
  /** Most requests that wait for their results; with lists for each request also the most connections. Default 10 000. */
  readonly maxWaiters?: number;
  /** Most results that are taken from the list at once. Default 100. */
  readonly resultsAtOnce?: number;
  /** Requests in a queue from which on no more are submitted to it; looked at every `heartbeatMs`. 0 = any number. Default 0. */
  readonly maxQueueDepth?: number;
  /** How often this instance says that it lives, ms. Default 5 000. */
  readonly heartbeatMs?: number;
  /** The lists of an instance that was silent for so long are removed, ms: longer than any result can be late. Default 4 500 000. */
  readonly instanceSilentMs?: number;
  /** How long after its deadline a result may still come and make its list anew, ms; lists for each request are removed again then. Default 900 000. */
  readonly lateResultMs?: number;
  /** How much earlier the processor's deadline is than this client's own, ms. Default 0. */
  readonly deadlineMarginMs?: number;
}

/** Told of what happens; for metrics and logs. Calls must be cheap. */
export interface QueueObserver {
  connected(): void;
  /** Told once, when there is no connection for the first time or any more. */
  lost(cause: unknown): void;
  /** A result belongs to nobody. It is dropped. */
  orphaned(reason: OrphanReason): void;
  /** A request was marked as cancelled, or was not there any more. */
  cancelled(why: CancelReason, wasKnown: boolean): void;
  failed(operation: QueueOperation, cause: unknown): void;
  /** The lists of instances that are gone were removed. */
  removed(instances: readonly string[]): void;
}

export type CancelReason =
  | "deadline"
  | "caller"
  /** Nobody knows whether Redis has taken it. */
  | "unconfirmed";

export type QueueOperation = "submit" | "cancel" | "upkeep" | "survey";

export interface QueueClientDependencies {
  /** Default: no password, and with `rediss:` the certificates that the system trusts. */
  readonly secrets?: RedisSecrets;
  /** Default: nobody is told. */
  readonly observer?: Partial<QueueObserver>;
  /** Default: those of the process. */
  readonly environment?: QueueEnvironment;
}

const silent: QueueObserver = {
  connected: () => undefined,
  lost: () => undefined,
  orphaned: () => undefined,
  cancelled: () => undefined,
  failed: () => undefined,
  removed: () => undefined,
};

/** What a client works with, whole. */
export function resolveDependencies(given: QueueClientDependencies): Required<QueueClientDependencies> & {
  readonly observer: QueueObserver;
} {
  const { secrets = noSecrets, environment = systemQueueEnvironment, observer } = given;
  return { secrets, environment, observer: observer === undefined ? silent : told(observer) };
}

async function noSecrets() {
  return { password: undefined, tls: { rejectUnauthorized: true } };
}

/** Not a copy: observers may be objects of a class. */
function told(observer: Partial<QueueObserver>): QueueObserver {
  return {
    connected: () => observer.connected?.(),
    lost: (cause) => observer.lost?.(cause),
    orphaned: (reason) => observer.orphaned?.(reason),
    cancelled: (why, wasKnown) => observer.cancelled?.(why, wasKnown),
    failed: (operation, cause) => observer.failed?.(operation, cause),
    removed: (instances) => observer.removed?.(instances),
  };
}

export type ResolvedQueueOptions = Required<QueueClientOptions>;

/** @throws RangeError on an option outside its range */
export function resolveQueueOptions(options: QueueClientOptions): ResolvedQueueOptions {
  const resolved = {
    wire: "v0.9",
    defaultQueue: "request-sortedset",
    resultLists: "instance",
    resultPrefix: "resp:",
    maxWaiters: 10_000,
    resultsAtOnce: 100,
    maxQueueDepth: 0,
    heartbeatMs: 5_000,
    instanceSilentMs: 4_500_000,
    lateResultMs: 900_000,
    deadlineMarginMs: 0,
    ...options,
  } as const;
  for (const key of ["maxWaiters", "resultsAtOnce", "heartbeatMs", "instanceSilentMs"] as const) {
    if (!(resolved[key] >= 1)) throw new RangeError(`${key} must be >= 1, got ${resolved[key]}`);
  }
  for (const key of ["maxQueueDepth", "lateResultMs", "deadlineMarginMs"] as const) {
    if (!(resolved[key] >= 0)) throw new RangeError(`${key} must be >= 0, got ${resolved[key]}`);
  }
  return resolved;
}
