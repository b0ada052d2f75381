import { RoutingError } from "../errors/index.ts";
import type { Worker, WorkerId, WorkerRank, WorkerRole } from "../fleet/index.ts";

/** Why a rank may not be picked. Stable: explanations and metrics show it. */
export type Exclusion =
  | "wrong_role"
  | "outside_subset"
  | "not_allowed"
  | "already_tried"
  | "not_pinned"
  | "missing_taint"
  | "adapter_not_loaded"
  | "draining"
  | "unhealthy"
  | "overloaded"
  | "other_domain"
  | "crowded"
  | "other_session";

/** What a request demands of its worker. Absent = no demand. */
export interface Constraints {
  readonly roles?: ReadonlySet<WorkerRole>;
  /** Workers that the gateway's subset hint names; never left. */
  readonly subset?: ReadonlySet<Worker>;
  /** Workers that have failed the request. */
  readonly tried?: ReadonlySet<Worker>;
  /** Worker ids that the caller allows. */
  readonly allowed?: ReadonlySet<WorkerId>;
  readonly pinned?: PinnedWorker;
  /** A LoRA adapter that the worker must have loaded; a worker that does not say which it has counts as having all. */
  readonly adapter?: string;
  /** The worker has to serve the request without one that prefills for it. */
  readonly isAlone?: boolean;
  /** The worker must have all of them. */
  readonly requiredTaints?: readonly string[];
  /** Taint to weight; a positive weight lowers the cost. */
  readonly preferredTaints?: ReadonlyMap<string, number>;
}

/** The one worker that a caller insists on. */
export interface PinnedWorker {
  readonly workerId: WorkerId;
  /** Its rank; undefined = any. */
  readonly dpRank?: number;
}

/**
 * Refuses demands that contradict each other.
 * @throws RoutingError invalid_request when the pinned worker is not among the allowed ones
 */
export function assertConsistent(constraints: Constraints): void {
  const { pinned, allowed } = constraints;
  if (pinned === undefined || allowed === undefined || allowed.has(pinned.workerId)) return;
  throw new RoutingError(`pinned worker ${pinned.workerId} is not in allowed worker set`, { code: "invalid_request" });
}

/**
 * Why `rank` may not serve the request, or undefined: it may. `overloaded` comes last: a rank that is only that would be
 * eligible otherwise, and a pool of such ranks is saturated rather than empty.
 */
export function exclusionOf(rank: WorkerRank, constraints: Constraints, isOverloaded: boolean): Exclusion | undefined {
  const { worker } = rank;
  return (
    outsideOf(rank, constraints) ??
    (worker.isDraining ? "draining" : undefined) ??
    (worker.health === "unhealthy" ? "unhealthy" : undefined) ??
    (isOverloaded ? "overloaded" : undefined)
  );
}

function outsideOf(rank: WorkerRank, constraints: Constraints): Exclusion | undefined {
  const { roles, subset, tried, allowed, pinned, isAlone, requiredTaints, adapter } = constraints;
  const { worker } = rank;
  if (roles !== undefined && !roles.has(worker.role)) return "wrong_role";
  if (isAlone === true && worker.role === "decode" && worker.handover?.servesAlone === false) return "wrong_role";
  if (subset !== undefined && !subset.has(worker)) return "outside_subset";
  if (tried?.has(worker)) return "already_tried";
  if (allowed !== undefined && !allowed.has(worker.id)) return "not_allowed";
  if (pinned !== undefined && !isPinned(rank, pinned)) return "not_pinned";
  if (requiredTaints !== undefined && !requiredTaints.every((taint) => worker.taints.has(taint))) {
    return "missing_taint";
  }
  if (adapter !== undefined && worker.adapters?.has(adapter) === false) return "adapter_not_loaded";
  return undefined;
}

function isPinned(rank: WorkerRank, pinned: PinnedWorker): boolean {
  return rank.worker.id === pinned.workerId && (pinned.dpRank === undefined || pinned.dpRank === rank.dpRank);
}

/** Sum of the weights of the preferred taints that the worker has; 0 = none. */
export function preferenceOf(worker: Worker, constraints: Constraints): number {
  let sum = 0;
  for (const [taint, weight] of constraints.preferredTaints ?? []) if (worker.taints.has(taint)) sum += weight;
  return sum;
}
