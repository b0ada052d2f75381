import { DecisionError } from "../../decisions/index.ts";
import { RoutingError, type RoutingErrorCode } from "../../errors/index.ts";
import { HttpError } from "../../http/index.ts";

/** There is no room at the moment. */
export function workerIsFull(cause?: unknown): DecisionError {
  return new DecisionError("capacity", "SGLang scoring worker capacity is exhausted", { cause });
}

export function workerIsGone(cause?: unknown): DecisionError {
  return new DecisionError("unavailable", "SGLang scoring worker is unavailable", { cause });
}

export function noWorker(cause?: unknown): DecisionError {
  return new DecisionError("unavailable", "model has no eligible aggregate SGLang worker", { cause });
}

function notReady(cause: RoutingError): DecisionError {
  return new DecisionError("unavailable", "service is not ready", { cause });
}

const bodyUnread = "request body could not be read";

/** What a client is told of any failure: causes are for the log only. */
export function decisionErrorOf(cause: unknown): DecisionError {
  if (cause instanceof DecisionError) return cause;
  if (cause instanceof RoutingError) return routingFaults[cause.code](cause);
  if (cause instanceof HttpError) return httpFault(cause);
  return internalFault(cause);
}

function internalFault(cause: unknown): DecisionError {
  return new DecisionError("internal", "internal server error", { cause });
}

const routingFaults: Readonly<Record<RoutingErrorCode, (cause: RoutingError) => DecisionError>> = {
  invalid_request: internalFault,
  unprocessable: internalFault,
  not_implemented: internalFault,
  body_too_large: internalFault,
  request_timeout: internalFault,
  unknown_model: internalFault,
  unknown_reservation: internalFault,
  reservation_conflict: internalFault,
  worker_conflict: internalFault,
  saturated: workerIsFull,
  queue_timeout: workerIsFull,
  evicted: workerIsFull,
  no_endpoints: noWorker,
  deadline_exceeded: (cause) => new DecisionError("deadline", "decision request deadline exceeded", { cause }),
  not_ready: notReady,
  shutting_down: notReady,
  internal: internalFault,
};

/** Of the reader of bodies. */
function httpFault(cause: HttpError): DecisionError {
  switch (cause.status) {
    case 413:
      return new DecisionError("body_too_large", bodyUnread, { cause });
    case 408:
      return new DecisionError("body_timeout", bodyUnread, { cause });
    case 415:
      return new DecisionError("media_type", cause.message, { cause });
    case 429:
      return new DecisionError("capacity", "System One request capacity is exhausted", { cause });
    default:
      return new DecisionError("body_unread", bodyUnread, { cause });
  }
}
