import { DecisionError, generateBody, readScoringAnswer, reduceLogprobs, ScoringError } from "../../decisions/index.ts";
import { DispatchError } from "../../dispatch/index.ts";
import { workerIsFull, workerIsGone } from "./fault-of.ts";
import type { Branch } from "./preflight.ts";
import { AnswerTooLongError, type WholeAnswer, type WorkerDispatcher, wholeAnswer } from "./worker-call.ts";

/** Where all questions of a request go. */
export interface ScoringPlace {
  readonly endpoint: string;
  /** Undefined = the worker has one rank. */
  readonly dpRank: number | undefined;
  readonly isSaltedByExtraKey: boolean;
  readonly cacheSalt: string;
  /** Further headers of each question, names and values in turn. */
  readonly lines: readonly string[];
}

/** A question's score. */
export interface BranchScore {
  readonly probabilities: readonly number[];
  readonly labelMass: number | undefined;
  readonly cachedTokens: number | undefined;
}

/** Where a branch tells how its worker does. */
export interface ScoringReports {
  unreachable(endpoint: string): void;
  failed(endpoint: string): void;
  answered(endpoint: string): void;
}

/** What branches are asked with. */
export interface BranchParts {
  readonly dispatcher: WorkerDispatcher;
  readonly reports: ScoringReports;
  readonly maxWorkerAnswerBytes: number;
}

/**
 * Puts one question to a worker.
 * @param branchId by which the worker can be told to stop
 * @throws DecisionError capacity, unavailable, malformed_scores; or the signal's reason, after the worker was told
 */
export async function askBranch(
  parts: BranchParts,
  place: ScoringPlace,
  { promptIds, labelIds }: Branch,
  branchId: string,
  signal: AbortSignal,
): Promise<BranchScore> {
  const body = generateBody({ ...place, promptIds, labelIds, requestId: branchId });
  const answer = await answerOf(parts, place, body, branchId, signal);
  try {
    const { dpRank, logprobs, cachedTokens } = readScoringAnswer(answer, labelIds, promptIds.length);
    if (place.dpRank !== undefined && dpRank !== undefined && dpRank !== place.dpRank) throw workerIsGone();
    return { ...reduceLogprobs(logprobs), cachedTokens };
  } catch (cause) {
    throw scoringFault(cause);
  }
}

async function answerOf(
  parts: BranchParts,
  { endpoint, lines }: ScoringPlace,
  body: string,
  branchId: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const { dispatcher, reports, maxWorkerAnswerBytes } = parts;
  let answer: WholeAnswer;
  try {
    answer = await wholeAnswer(dispatcher, post(endpoint, "/generate", body, lines), maxWorkerAnswerBytes, signal);
  } catch (cause) {
    // A worker that streams nothing yet does not see that nobody waits any more.
    if (mayBeAtWork(cause)) tellToStop(parts, endpoint, branchId);
    if (signal.aborted) throw signal.reason;
    if (cause instanceof DispatchError) report(reports, endpoint, cause);
    throw cause instanceof AnswerTooLongError ? malformed(cause) : workerIsGone(cause);
  }
  if (answer.status === 200) {
    reports.answered(endpoint);
    return answer.body;
  }
  if (isFull(answer)) throw workerIsFull();
  if (answer.status >= 500) reports.failed(endpoint);
  throw workerIsGone(new Error(`the worker answered ${answer.status}`));
}

/** Whether it was this side that ended the exchange: it has had enough of it, or nothing came for too long. */
function mayBeAtWork(cause: unknown): boolean {
  return !(cause instanceof DispatchError) || cause.failure === "head_timeout" || cause.failure === "stalled";
}

function report(reports: ScoringReports, endpoint: string, { failure }: DispatchError): void {
  if (failure === "unreachable") reports.unreachable(endpoint);
  else if (failure !== "unsendable") reports.failed(endpoint);
}

/** SGLang says 503 of a full queue as of a server that does not serve: the words tell them apart. */
function isFull({ status, body }: WholeAnswer): boolean {
  return status === 429 || (status === 503 && body.includes("queue is full"));
}

function scoringFault(cause: unknown): DecisionError {
  if (cause instanceof DecisionError && cause.fault === "unavailable") return cause;
  if (cause instanceof ScoringError && cause.failure === "overloaded") return workerIsFull(cause);
  if (cause instanceof ScoringError || cause instanceof DecisionError) return malformed(cause);
  throw cause;
}

function malformed(cause: unknown): DecisionError {
  return new DecisionError("malformed_scores", "malformed SGLang scoring response", { cause });
}

const maxStopAnswerBytes = 65_536;
const stopTimeoutMs = 5_000;

/** Nobody waits for what comes of it. */
function tellToStop({ dispatcher }: BranchParts, endpoint: string, branchId: string): void {
  const request = post(endpoint, "/abort_request", JSON.stringify({ rid: branchId }));
  wholeAnswer(dispatcher, request, maxStopAnswerBytes, AbortSignal.timeout(stopTimeoutMs)).catch(() => undefined);
}

function post(endpoint: string, path: string, body: string, lines: readonly string[] = []) {
  const headers = ["content-type", "application/json", ...lines];
  return { endpoint, method: "POST", path, headers, body: Buffer.from(body) };
}
