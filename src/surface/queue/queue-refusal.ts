import { HttpError } from "../../http/index.ts";
import { QueueError, type QueueErrorCode } from "../../queue/index.ts";

/** What a client is told of each. */
const answers: Readonly<Record<QueueErrorCode, readonly [status: number, code: HttpError["code"]]>> = {
  unavailable: [503, "queue_unavailable"],
  lost: [503, "queue_lost"],
  saturated: [429, "saturated"],
  queue_full: [429, "saturated"],
  deadline_exceeded: [504, "deadline_exceeded"],
  closed: [503, "shutting_down"],
  invalid_request: [400, "invalid_request"],
};

/** An error of the queue as clients see it; other errors as they are. */
export function queueRefusal(cause: unknown): unknown {
  if (!(cause instanceof QueueError)) return cause;
  const [status, code] = answers[cause.code];
  return new HttpError(status, code, cause.message);
}
