import type { DispatchError } from "../../dispatch/index.ts";
import { httpStatusByCode, RoutingError } from "../../errors/index.ts";
import { type ApiError, HttpError } from "../../http/index.ts";

/** What a client is told of a worker that failed, when no other could be asked. */
export function workerError(error: DispatchError): HttpError {
  switch (error.failure) {
    case "head_timeout":
    case "stalled":
      return new HttpError(504, "worker_timeout", error.message);
    case "unsendable":
      return new HttpError(400, "invalid_request", error.message);
    default:
      return new HttpError(502, "worker_failed", error.message);
  }
}

/** What a client is told within a stream. */
export function streamError(error: DispatchError): ApiError {
  const { code, message } = workerError(error);
  return { code, message };
}

/** An error of the choice, or of the proxy itself, as it is answered. */
export interface Refusal {
  readonly error: HttpError;
  readonly field: string | undefined;
}

/** @param retryAfterSeconds of 429 and 503 answers whose error names none */
export function refusalOf(cause: unknown, retryAfterSeconds: number): Refusal {
  if (cause instanceof HttpError) return { error: withRetryAfter(cause, retryAfterSeconds), field: undefined };
  if (!(cause instanceof RoutingError) || cause.code === "internal") {
    return { error: new HttpError(500, "internal", "the request could not be served"), field: undefined };
  }
  const seconds = cause.retryAfterSeconds ?? retryAfterSeconds;
  const error = new HttpError(httpStatusByCode[cause.code], cause.code, cause.message);
  return { error: withRetryAfter(error, seconds), field: cause.field };
}

function withRetryAfter(error: HttpError, seconds: number): HttpError {
  const isTemporary = error.status === 429 || error.status === 503;
  if (!isTemporary || "retry-after" in error.headers) return error;
  const headers = { ...error.headers, "retry-after": String(Math.ceil(seconds)) };
  return new HttpError(error.status, error.code, error.message, headers);
}
