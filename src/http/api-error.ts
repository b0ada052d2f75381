import type { HttpErrorCode } from "./error-answer.ts";

/** Whose error JSON a client expects. */
export type ErrorDialect = "openai" | "anthropic";

/** What a client is told of a failure. */
export interface ApiError {
  readonly message: string;
  readonly code: HttpErrorCode;
  /** The field at fault; undefined when none is. */
  readonly field?: string | undefined;
}

/** `error.type` of OpenAI's API by code. */
const openaiTypes = {
  invalid_request: "invalid_request_error",
  unprocessable: "invalid_request_error",
  body_too_large: "invalid_request_error",
  unknown_model: "invalid_request_error",
  unknown_reservation: "invalid_request_error",
  reservation_conflict: "invalid_request_error",
  worker_conflict: "invalid_request_error",
  other_replica: "invalid_request_error",
  not_found: "invalid_request_error",
  unknown_response: "invalid_request_error",
  method_not_allowed: "invalid_request_error",
  unsupported_media_type: "invalid_request_error",
  headers_too_large: "invalid_request_error",
  not_implemented: "not_implemented_error",
  unauthorized: "authentication_error",
  forbidden: "permission_error",
  request_timeout: "timeout_error",
  saturated: "rate_limit_error",
  rate_limited: "rate_limit_error",
  queue_timeout: "rate_limit_error",
  evicted: "rate_limit_error",
  no_endpoints: "service_unavailable_error",
  deadline_exceeded: "timeout_error",
  not_ready: "service_unavailable_error",
  shutting_down: "service_unavailable_error",
  worker_failed: "server_error",
  worker_timeout: "timeout_error",
  queue_unavailable: "service_unavailable_error",
  queue_lost: "service_unavailable_error",
  gate_dropped: "rate_limit_error",
  cancelled: "invalid_request_error",
  unknown_request: "invalid_request_error",
  idempotency_conflict: "invalid_request_error",
  internal: "internal_server_error",
} as const satisfies Record<HttpErrorCode, string>;

/** `error.type` of Anthropic's API by code. Source: docs.claude.com/en/api/errors, and what Dynamo 1.6.1 answers. */
const anthropicTypes = {
  invalid_request: "invalid_request_error",
  unprocessable: "invalid_request_error",
  body_too_large: "request_too_large",
  unknown_model: "not_found_error",
  unknown_reservation: "not_found_error",
  reservation_conflict: "invalid_request_error",
  worker_conflict: "invalid_request_error",
  other_replica: "invalid_request_error",
  not_found: "not_found_error",
  unknown_response: "not_found_error",
  method_not_allowed: "invalid_request_error",
  unsupported_media_type: "invalid_request_error",
  headers_too_large: "invalid_request_error",
  not_implemented: "api_error",
  unauthorized: "authentication_error",
  forbidden: "permission_error",
  request_timeout: "timeout_error",
  saturated: "rate_limit_error",
  rate_limited: "rate_limit_error",
  queue_timeout: "rate_limit_error",
  evicted: "rate_limit_error",
  no_endpoints: "overloaded_error",
  deadline_exceeded: "timeout_error",
  not_ready: "overloaded_error",
  shutting_down: "overloaded_error",
  worker_failed: "api_error",
  worker_timeout: "timeout_error",
  queue_unavailable: "overloaded_error",
  queue_lost: "overloaded_error",
  gate_dropped: "rate_limit_error",
  cancelled: "api_error",
  unknown_request: "not_found_error",
  idempotency_conflict: "invalid_request_error",
  internal: "api_error",
} as const satisfies Record<HttpErrorCode, string>;

const messagesPath = /^\/v1\/messages(\/count_tokens)?$/;

/** @param path with or without query; undefined when it is not known */
export function errorDialectOf(path: string | undefined): ErrorDialect {
  return messagesPath.test(path?.split("?", 1)[0] ?? "") ? "anthropic" : "openai";
}

/** The error as the JSON value that clients of an API expect. */
export function apiErrorBody({ message, code, field }: ApiError, dialect: ErrorDialect): object {
  if (dialect === "anthropic") return { type: "error", error: { type: anthropicTypes[code], message } };
  return { error: { message, type: openaiTypes[code], code, param: field ?? null } };
}
