import type { WorkerRank } from "../fleet/index.ts";
import type { Candidate, Choice, PickOptions, PickRequest } from "../pick/index.ts";
import type { AggregatedReason } from "./disaggregation.ts";
import type { Placeable } from "./placeable.ts";

/** How one phase of a request is charged and chosen. */
export interface PhaseRules {
  readonly phase: PickRequest["phase"];
  readonly tracksPrefill: boolean;
  readonly assumesKvReuse: boolean;
  readonly options: Required<PickOptions>;
}

/** The choice for one phase, with everything it was made from. */
export interface PhaseChoice {
  readonly candidates: readonly Candidate[];
  readonly choice: Choice;
  /** The picked candidate. */
  readonly picked: Candidate;
  readonly rank: WorkerRank;
  readonly request: PickRequest;
  readonly rules: PhaseRules;
}

/** Where a request would go, as the workers were at one instant. Nothing is booked. */
export interface Selection {
  readonly subject: Placeable;
  /** The worker that answers. */
  readonly answering: PhaseChoice;
  /** The worker that prefills for it; undefined when one does both. */
  readonly prefill: PhaseChoice | undefined;
  /** Why one does both; undefined when two share the work. */
  readonly aggregatedReason: AggregatedReason | undefined;
  /** What the request's session had to do with it; undefined = it names none, or sessions do not count. */
  readonly session: SessionOutcome | undefined;
}

/** `new`: nothing was remembered; `kept`: on the worker of its last request; `moved`: on another. Stable. */
export type SessionOutcome = "new" | "kept" | "moved";

/** Prompt tokens that the worker that prefills is believed to hold; undefined when the prompt's length is not known. */
export function predictedCachedTokens({ subject, answering, prefill }: Selection): number | undefined {
  const { promptTokens } = subject;
  if (promptTokens === undefined) return undefined;
  const { picked, request } = prefill ?? answering;
  const blocks = picked.deviceBlocks + picked.hostBlocks + picked.diskBlocks;
  return Math.min(promptTokens, blocks * request.blockSize);
}
