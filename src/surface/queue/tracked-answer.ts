import { type ClientAnswer, HttpError } from "../../http/index.ts";
import { headOf, type RetryAdvice, retryLines } from "./answer-head.ts";
import { queueRefusal } from "./queue-refusal.ts";
import { resultAnswer } from "./result-answer.ts";
import type { TrackedRequests } from "./tracked-requests.ts";

/** What is asked of a request that was submitted before. */
export interface TrackedQuestion {
  readonly id: string;
  /** Under which it is known. */
  readonly name: string;
  readonly isRemoval: boolean;
}

/** Answers what became of a request, as its own call would have been answered. @throws HttpError 410 when nothing is known, or of its failure */
export function answerTracked(
  client: ClientAnswer,
  tracked: TrackedRequests,
  { id, name, isRemoval }: TrackedQuestion,
  advice: RetryAdvice,
): void {
  if (isRemoval) {
    if (!tracked.remove(name, new HttpError(499, "cancelled", "the request was cancelled"))) throw unknown();
    client.own(200, [], JSON.stringify({ id, status: "cancelled" }));
    return;
  }
  const state = tracked.stateOf(name);
  switch (state.kind) {
    case "pending":
      client.own(202, [], JSON.stringify({ id, status: "pending" }));
      return;
    case "failed":
      throw queueRefusal(state.cause);
    case "unknown":
      throw unknown();
    case "done": {
      const { status, body, contentType } = resultAnswer(state.result);
      client.whole(headOf(status, contentType, retryLines(status, advice)), Buffer.from(body));
    }
  }
}

function unknown(): HttpError {
  return new HttpError(410, "unknown_request", "no request of this id is known");
}
