import { randomBytes, randomUUID } from "node:crypto";
import {
  newNamespace,
  type PrepareWait,
  type RouteDecision,
  type ScoringDemand,
  type ScoringModel,
  type ScoringPicks,
} from "../../router/index.ts";
import type { DecisionTrace } from "./decision-trace.ts";
import { fanOut } from "./fan-out.ts";
import { noWorker, workerIsGone } from "./fault-of.ts";
import type { Branch } from "./preflight.ts";
import type { CallHeaders } from "./request-id.ts";
import { askBranch, type BranchParts, type BranchScore, type ScoringPlace } from "./scoring-branch.ts";
import type { DecisionPhase } from "./telemetry.ts";

/** The branches of one request, and where they may go. */
export interface ExecutionRequest {
  readonly model: ScoringModel["model"];
  readonly workers: ScoringModel["workers"];
  readonly branches: readonly Branch[];
  readonly requestId: string;
  readonly headers: CallHeaders;
  readonly trace: DecisionTrace;
  /** Told of the worker that is chosen. */
  picked(decision: RouteDecision): void;
}

export interface ExecutionParts extends BranchParts {
  readonly picks: Pick<ScoringPicks, "pick" | "join">;
  readonly maxSiblings: number;
}

/**
 * Asks all questions of a request: the first one where the router says, the others where that one left its blocks.
 * @param timed told how to measure each phase
 * @throws DecisionError, RoutingError, or the signal's reason, by rejecting: nothing of it runs any more
 */
export async function execute(
  parts: ExecutionParts,
  request: ExecutionRequest,
  signal: AbortSignal,
  timed: <T>(phase: DecisionPhase, run: () => Promise<T>) => Promise<T>,
): Promise<readonly BranchScore[]> {
  const [first, ...siblings] = request.branches;
  if (first === undefined) return [];
  const demand: ScoringDemand = { ...request, cacheSalt: newNamespace(randomBytes) };
  const decision = await request.trace.picking(signal, (wait) => pickedFor(parts, demand, first, wait));
  request.picked(decision);
  const place = { ...placeOf(decision, demand), lines: request.trace.lines };
  const callId = callIds();
  const ask = (branch: Branch, ordinal: number, stop: AbortSignal) =>
    askBranch(parts, place, branch, callId(ordinal), stop);
  const score = await timed("first_branch", () => booked(decision.reservation, () => ask(first, 0, signal)));
  const others = await timed("fanout", () =>
    fanOut(siblings, parts.maxSiblings, signal, (branch, at, stop) => {
      const reservation = joined(parts, decision, demand, first, branch);
      return booked(reservation, () => ask(branch, at + 1, stop));
    }),
  );
  return [score, ...others];
}

/** Digits of the greatest ordinal of a question: none of a request's ids begins another one. */
const ordinalDigits = 3;

/**
 * Ids of one request's calls, by ordinal. SGLang stops every call whose id begins with the one that it is told: no client may choose, guess or
 * shorten them, so that nothing of a request is in them.
 */
function callIds(): (ordinal: number) => string {
  const own = randomUUID();
  return (ordinal) => `${own}-${String(ordinal).padStart(ordinalDigits, "0")}`;
}

async function pickedFor(
  { picks }: ExecutionParts,
  demand: ScoringDemand,
  { promptIds }: Branch,
  wait: PrepareWait,
): Promise<RouteDecision> {
  const decision = await picks.pick(demand, promptIds, wait);
  const { signal } = wait;
  if (!signal.aborted) return decision;
  decision.reservation.release();
  throw signal.reason;
}

function placeOf({ endpoint, selection }: RouteDecision, { cacheSalt }: ScoringDemand): Omit<ScoringPlace, "lines"> {
  const { worker, dpRank } = selection.answering.rank;
  if (worker.scoring === undefined) throw noWorker();
  return {
    endpoint,
    cacheSalt,
    dpRank: worker.dpSize > 1 ? dpRank : undefined,
    isSaltedByExtraKey: worker.scoring.saltField === "extra_key",
  };
}

/** @throws DecisionError unavailable when the worker of the first question is gone */
function joined(
  { picks }: ExecutionParts,
  decision: RouteDecision,
  demand: ScoringDemand,
  first: Branch,
  { promptIds }: Branch,
): { release(): void } {
  try {
    return picks.join(decision, demand, promptIds, sharedLength(first.promptIds, promptIds));
  } catch (cause) {
    throw workerIsGone(cause);
  }
}

async function booked<T>(reservation: { release(): void }, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    reservation.release();
  }
}

function sharedLength(one: Uint32Array, other: Uint32Array): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at++;
  return at;
}
