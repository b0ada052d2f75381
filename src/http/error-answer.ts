import { httpStatusByCode, RoutingError, type RoutingErrorCode } from "../errors/index.ts";
import { FieldError, JsonSyntaxError } from "../json/index.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { HttpAnswer } from "./operation.ts";

/** A refusal by HTTP itself, for which the routing core has no word. */
export type HttpErrorCode =
  | RoutingErrorCode
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "other_replica"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "headers_too_large"
  | "rate_limited"
  | "unknown_response"
  | "worker_failed"
  | "worker_timeout"
  | "queue_unavailable"
  | "queue_lost"
  | "gate_dropped"
  | "cancelled"
  | "unknown_request"
  | "idempotency_conflict";

/** An error that is answered as it is. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: HttpErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** An answer in the envelope. */
export interface ErrorAnswer extends HttpAnswer {
  readonly body: string;
  readonly code: HttpErrorCode;
}

/** The one envelope of all error answers. */
export const errorSchema: JsonSchema = {
  type: "object",
  required: ["error", "code"],
  properties: {
    error: { type: "string", description: "What is wrong, for people." },
    code: { type: "string", description: "What is wrong, for programs; stable." },
    field: { type: "string", description: "The field at fault, as `token_ids[3]`; absent when none is." },
  },
};

const internalMessage = "the request could not be served";

/**
 * The answer to what an operation threw. Causes never reach the client.
 * @param retryAfterSeconds of 429 and 503 answers whose error names none
 */
export function errorAnswer(error: unknown, retryAfterSeconds: number): ErrorAnswer {
  if (error instanceof HttpError) return envelope(error.status, error.code, error.message, undefined, error.headers);
  if (error instanceof FieldError) return errorAnswer(error.toRoutingError("unprocessable"), retryAfterSeconds);
  if (error instanceof JsonSyntaxError) {
    return envelope(400, "invalid_request", `the body is not JSON: ${error.message}`, undefined, {});
  }
  if (!(error instanceof RoutingError)) return envelope(500, "internal", internalMessage, undefined, {});
  const status = httpStatusByCode[error.code];
  const isTemporary = status === 429 || status === 503;
  const headers = isTemporary ? { "retry-after": String(error.retryAfterSeconds ?? retryAfterSeconds) } : undefined;
  return envelope(
    status,
    error.code,
    error.code === "internal" ? internalMessage : error.message,
    error.field,
    headers,
  );
}

/** Whether an error is our own fault and has to be logged. */
export function isInternal(error: unknown): boolean {
  if (error instanceof RoutingError) return error.code === "internal";
  return !(error instanceof HttpError || error instanceof FieldError || error instanceof JsonSyntaxError);
}

function envelope(
  status: number,
  code: HttpErrorCode,
  message: string,
  field: string | undefined,
  headers: Readonly<Record<string, string>> | undefined,
): ErrorAnswer {
  const body = JSON.stringify({ error: message, code, ...(field === undefined ? {} : { field }) });
  return headers === undefined ? { status, code, body } : { status, code, body, headers };
}
