import { httpStatusByCode, RoutingError, type RoutingErrorCode } from "../../errors/index.ts";
import { apiErrorBody, type ErrorDialect } from "../../http/index.ts";
import { type HeaderValueOption, overwriteHeader, type ProcessingResponse } from "./processing-messages.ts";

/** What the gateway protocol adds to an error. */
interface ErrorFace {
  /** Value of `x-llm-d-request-dropped-reason`; undefined where the gateway protocol names none. */
  readonly droppedReason?: string;
  /** Whether the same request may succeed a moment later, which `Retry-After` tells. */
  readonly isTemporary?: boolean;
}

const plain: ErrorFace = {};

const faceByCode = {
  invalid_request: plain,
  unprocessable: plain,
  body_too_large: plain,
  request_timeout: plain,
  unknown_model: plain,
  unknown_reservation: plain,
  reservation_conflict: plain,
  worker_conflict: plain,
  not_implemented: plain,
  saturated: { droppedReason: "rejected-saturated", isTemporary: true },
  queue_timeout: { droppedReason: "rejected-ttl-expired", isTemporary: true },
  evicted: { droppedReason: "evicted-priority", isTemporary: true },
  no_endpoints: { droppedReason: "rejected-no-endpoints", isTemporary: true },
  deadline_exceeded: { droppedReason: "rejected-ttl-expired" },
  not_ready: { isTemporary: true },
  shutting_down: { droppedReason: "rejected-shutting-down", isTemporary: true },
  internal: plain,
} as const satisfies Record<RoutingErrorCode, ErrorFace>;

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
  const { answer } = error;
  return {
    immediate_response: {
      status: { code: answer?.status ?? httpStatusByCode[error.code] },
      headers: { set_headers: errorHeaders(error, face, retryAfterSeconds) },
      body: Buffer.from(answer?.body ?? JSON.stringify(apiErrorBody(error, dialect))),
      details: `pointsman_${error.code}`,
    },
  };
}

function errorHeaders(error: RoutingError, face: ErrorFace, defaultSeconds: number): readonly HeaderValueOption[] {
  const headers = [overwriteHeader("content-type", "application/json")];
  const seconds = error.retryAfterSeconds ?? (face.isTemporary === true ? defaultSeconds : undefined);
  if (seconds !== undefined) headers.push(overwriteHeader("retry-after", String(Math.ceil(seconds))));
  for (const [name, value] of error.answer?.headers ?? []) headers.push(overwriteHeader(name, value));
  if (face.droppedReason !== undefined)
    headers.push(overwriteHeader("x-llm-d-request-dropped-reason", face.droppedReason));
  return headers;
}
