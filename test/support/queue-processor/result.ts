import type { QueuedRequest } from "./envelope.ts";
import { goString, goStruct } from "./go-json.ts";
import type { ProcessorVersion } from "./options.ts";

/** What comes of a request. */
export interface Result {
  readonly status?: number;
  /** Text of the gateway's answer, or an error's JSON. */
  readonly payload: string;
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

export const deadlineExceeded: Result = failure("DEADLINE_EXCEEDED", "deadline exceeded");
export const cancelled: Result = failure("CANCELLED", "cancelled");
export const gateDropped: Result = failure("GATE_DROPPED", "Pool gating dropped request");
/** What the tier's gate writes by hand. */
export const tooManyRequests: Result = { payload: '{"error": "Too Many Requests", "code": 429}' };

/** A result without a status. */
export function failure(errorCode: string, errorMessage: string): Result {
  return { payload: goStruct({ error: goString(errorMessage) }), errorCode, errorMessage };
}

/** The element of the result list. */
export function encodeResult(request: QueuedRequest, result: Result, version: ProcessorVersion): string {
  const { request_token: token } = request.internal;
  return goStruct({
    id: goString(request.id),
    status_code: result.status === undefined ? undefined : `${result.status}`,
    payload: goString(result.payload),
    error_code: optional(result.errorCode),
    error_message: optional(result.errorMessage),
    request_token: version === "v0.10" ? optional(token) : undefined,
  });
}

function optional(text: string | undefined): string | undefined {
  return text === undefined ? undefined : goString(text);
}
