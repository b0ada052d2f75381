import { httpStatusByCode, RoutingError } from "../errors/index.ts";
import { JsonSyntaxError } from "../json/index.ts";
import { HttpError } from "./error-answer.ts";

/** An error of the core, or of a surface itself, as it is answered. */
export interface Refusal {
  readonly error: HttpError;
  readonly field: string | undefined;
}

/** What a client is told. @param retryAfterSeconds of 429 and 503 answers whose error names none */
export function refusalOf(cause: unknown, retryAfterSeconds: number): Refusal {
  if (cause instanceof HttpError) return { error: withRetryAfter(cause, retryAfterSeconds), field: undefined };
  if (cause instanceof JsonSyntaxError) {
    const error = new HttpError(400, "invalid_request", `the body is not JSON: ${cause.message}`);
    return { error, field: undefined };
  }
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
