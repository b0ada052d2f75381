import type { RouteExplanation } from "../../router/index.ts";

/** A rank as it was called when it was picked. */
export interface PickedRank {
  /** Decimal u64. */
  readonly workerId: string;
  readonly workerName: string;
  readonly dpRank: number;
  readonly endpoint: string;
}

/** A decision, without its reasons: an entry of `picks`, the data of each `event: pick`, and an entry of `GET /api/picks`. */
export interface PickSummary {
  /** Names it in `GET /api/picks/ID`: `17`, or `2-17` with shards. */
  readonly id: string;
  readonly atMs: number;
  /** The request's `x-request-id`; undefined when it has none. */
  readonly requestId: string | undefined;
  /** `picked`, or the code of the refusal. */
  readonly outcome: string;
  readonly api: string;
  readonly model: string | undefined;
  /** Undefined when the tokens are not known. */
  readonly promptTokens: number | undefined;
  /** Complete blocks of the prompt; undefined when the tokens are not known. */
  readonly promptBlocks: number | undefined;
  /** Of these, the leading ones that the worker that prefills was believed to hold; undefined when not known, or nobody was picked. */
  readonly heldBlocks: number | undefined;
  /** Who answers; undefined when nobody was picked. */
  readonly picked: PickedRank | undefined;
  /** Who prefills for it; undefined when nobody else does. */
  readonly prefill: PickedRank | undefined;
}

/** `GET /api/picks?limit=&requestId=`: the newest first. */
export interface PickList {
  readonly picks: readonly PickSummary[];
}

/** `GET /api/picks/ID`: why this worker. */
export interface ExplainedPick extends PickSummary {
  readonly explanation: RouteExplanation;
}

/** Data of `event: picks-left-out` of `GET /api/events`: decisions since the last event that are told of in no `event: pick`. */
export interface PicksLeftOut {
  readonly count: number;
}
