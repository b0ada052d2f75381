import type { Worker, WorkerId, WorkerRank, WorkerRole } from "../fleet/index.ts";

/** Why a rank may not be picked. Stable: explanations and metrics show it. */
export type Exclusion =
  | "wrong_role"
  | "outside_subset"
  | "not_allowed"
  | "not_pinned"
  | "missing_taint"
  | "draining"
  | "unhealthy"
  | "overloaded";

/** What a request demands of its worker. Absent = no demand. */
export interface Constraints {
  readonly roles?: ReadonlySet<WorkerRole>;
  /** Workers that the gateway's subset hint names; never left. */
  readonly subset?: ReadonlySet<Worker>;
  /** Worker ids that the caller allows. */
  readonly allowed?: ReadonlySet<WorkerId>;
  readonly pinned?: PinnedWorker;
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

/** Why `rank` may not serve the request, or undefined: it may. */
export function exclusionOf(
  _rank: WorkerRank,
  _constraints: Constraints,
  _isOverloaded: boolean,
): Exclusion | undefined {
  throw new Error("todo");
}

/** Sum of the weights of the preferred taints that the worker has. */
export function preferenceOf(_worker: Worker, _constraints: Constraints): number {
  throw new Error("todo");
}
