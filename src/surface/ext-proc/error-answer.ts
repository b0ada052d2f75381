import { httpStatusByCode, RoutingError, type RoutingErrorCode } from "../../errors/index.ts";
import { type HeaderValueOption, overwriteHeader, type ProcessingResponse } from "./processing-messages.ts";

/** What a code looks like to a client of the OpenAI API behind an llm-d style gateway. */
interface ErrorFace {
  /** `error.type` of the body. */
  readonly type: string;
  /** Value of `x-llm-d-request-dropped-reason`; undefined where the gateway protocol names none. */
  readonly droppedReason?: string;
  /** Whether the same request may succeed a moment later, which `Retry-After` tells. */
  readonly isTemporary?: boolean;
}

/** Whose error JSON a client expects. */
export type ErrorDialect = "openai" | "anthropic";

const invalid: ErrorFace = { type: "invalid_request_error" };

const faceByCode = {
  invalid_request: invalid,
  unprocessable: invalid,
  body_too_large: invalid,
  request_timeout: { type: "timeout_error" },
  unknown_model: invalid,
  unknown_reservation: invalid,
  reservation_conflict: invalid,
  worker_conflict: invalid,
  not_implemented: { type: "not_implemented_error" },
  saturated: { type: "rate_limit_error", droppedReason: "rejected-saturated", isTemporary: true },
  queue_timeout: { type: "rate_limit_error", droppedReason: "rejected-ttl-expired", isTemporary: true },
  evicted: { type: "rate_limit_error", droppedReason: "evicted-priority", isTemporary: true },
  no_endpoints: { type: "service_unavailable_error", droppedReason: "rejected-no-endpoints", isTemporary: true },
  deadline_exceeded: { type: "timeout_error", droppedReason: "rejected-ttl-expired" },
  shutting_down: { type: "service_unavailable_error", droppedReason: "rejected-shutting-down", isTemporary: true },
  internal: { type: "internal_server_error" },
} as const satisfies Record<RoutingErrorCode, ErrorFace>;

/** `error.type` of Anthropic's API by code. Source: docs.claude.com/en/api/errors, and what Dynamo 1.6.1 answers. */
const anthropicTypeByCode = {
  invalid_request: "invalid_request_error",
  unprocessable: "invalid_request_error",
  body_too_large: "request_too_large",
  request_timeout: "timeout_error",
  unknown_model: "not_found_error",
  unknown_reservation: "not_found_error",
  reservation_conflict: "invalid_request_error",
  worker_conflict: "invalid_request_error",
  not_implemented: "api_error",
  saturated: "rate_limit_error",
  queue_timeout: "rate_limit_error",
  evicted: "rate_limit_error",
  no_endpoints: "overloaded_error",
  deadline_exceeded: "timeout_error",
  shutting_down: "overloaded_error",
  internal: "api_error",
} as const satisfies Record<RoutingErrorCode, string>;

const messagesPath = /^\/v1\/messages(\/count_tokens)?$/;

/** @param path with or without query; undefined when it is not known */
export function errorDialectOf(path: string | undefined): ErrorDialect {
  return messagesPath.test(path?.split("?", 1)[0] ?? "") ? "anthropic" : "openai";
}

/** What a client may know of any failure: a RoutingError as it is, anything else as `internal` without its text. */
export function toRoutingError(cause: unknown): RoutingError {
  if (cause instanceof RoutingError) return cause;
  return new RoutingError("the endpoint picker failed", { code: "internal", cause });
}

/**
 * The gateway's own answer to the client: status, JSON in the shape of the API that was called, `Retry-After` and the drop reason.
 * `details` shows in Envoy's access log as RESPONSE_CODE_DETAILS.
 * @param retryAfterSeconds what a temporary error says when it does not know better
 */
export function errorAnswer(
  error: RoutingError,
  retryAfterSeconds: number,
  dialect: ErrorDialect = "openai",
): ProcessingResponse {
  const face: ErrorFace = faceByCode[error.code];
  const body = dialect === "openai" ? openaiBody(error, face) : anthropicBody(error);
  return {
    immediate_response: {
      status: { code: httpStatusByCode[error.code] },
      headers: { set_headers: errorHeaders(error, face, retryAfterSeconds) },
      body: Buffer.from(JSON.stringify(body)),
      details: `pointsman_${error.code}`,
    },
  };
}

function openaiBody({ message, code, field }: RoutingError, { type }: ErrorFace): object {
  return { error: { message, type, code, param: field ?? null } };
}

function anthropicBody({ message, code }: RoutingError): object {
  return { type: "error", error: { type: anthropicTypeByCode[code], message } };
}

function errorHeaders(error: RoutingError, face: ErrorFace, defaultSeconds: number): readonly HeaderValueOption[] {
  const headers = [overwriteHeader("content-type", "application/json")];
  const seconds = error.retryAfterSeconds ?? (face.isTemporary === true ? defaultSeconds : undefined);
  if (seconds !== undefined) headers.push(overwriteHeader("retry-after", String(Math.ceil(seconds))));
  if (face.droppedReason !== undefined)
    headers.push(overwriteHeader("x-llm-d-request-dropped-reason", face.droppedReason));
  return headers;
}
