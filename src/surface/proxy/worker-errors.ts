import type { DispatchError } from "../../dispatch/index.ts";
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
