/** Why a request was not routed. Stable: clients, metrics and tests depend on these strings. */
export type RoutingErrorCode =
  | "invalid_request"
  | "unprocessable"
  | "not_implemented"
  | "body_too_large"
  | "request_timeout"
  | "unknown_model"
  | "unknown_reservation"
  | "reservation_conflict"
  | "worker_conflict"
  | "saturated"
  | "queue_timeout"
  | "evicted"
  | "no_endpoints"
  | "deadline_exceeded"
  | "not_ready"
  | "shutting_down"
  | "internal";

/** An answer that an API gives in words of its own. */
export interface OwnAnswer {
  readonly status: number;
  /** JSON text. */
  readonly body: string;
  /** Beside the content type; lower-case names. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What a thrower may add to the message. */
export interface RoutingErrorOptions extends ErrorOptions {
  readonly code: RoutingErrorCode;
  /** The request field at fault, as a client would write it (`messages[2].role`); absent when no field is. */
  readonly field?: string;
  /** Seconds after which a retry makes sense; surfaces send it as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** What a gateway's client gets in place of the code's status and the API's envelope; absent = those. */
  readonly answer?: OwnAnswer;
}

/** `code`, `field` and `message` reach the client; `cause` is for the log only. */
export class RoutingError extends Error {
  override readonly name = "RoutingError";
  readonly code: RoutingErrorCode;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly answer: OwnAnswer | undefined;

  constructor(message: string, options: RoutingErrorOptions) {
    super(message, options);
    this.code = options.code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.answer = options.answer;
  }
}

/** HTTP status of each code, for every surface that speaks HTTP or answers through Envoy. */
export const httpStatusByCode = {
  invalid_request: 400,
  unprocessable: 422,
  not_implemented: 501,
  body_too_large: 413,
  request_timeout: 408,
  unknown_model: 404,
  unknown_reservation: 404,
  reservation_conflict: 409,
  worker_conflict: 409,
  saturated: 429,
  queue_timeout: 429,
  evicted: 429,
  no_endpoints: 503,
  deadline_exceeded: 504,
  not_ready: 503,
  shutting_down: 503,
  internal: 500,
} as const satisfies Record<RoutingErrorCode, number>;
