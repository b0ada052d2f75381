/** Why a request got no result. Stable: callers, metrics and tests depend on these strings. */
export type QueueErrorCode =
  /** Redis cannot be reached, or has not taken the request. */
  | "unavailable"
  /** Redis has lost the request: it was restarted, or replaced, without it. */
  | "lost"
  /** As many requests wait as may. */
  | "saturated"
  /** The queue is as long as it may be. */
  | "queue_full"
  /** No result came in time. The request is cancelled. */
  | "deadline_exceeded"
  /** The client is closed, or closing. */
  | "closed"
  /** The request cannot be written. */
  | "invalid_request";

/** `message` may be shown to a caller; `cause` is for the log. */
export class QueueError extends Error {
  override readonly name = "QueueError";
  readonly code: QueueErrorCode;

  constructor(message: string, options: ErrorOptions & { readonly code: QueueErrorCode }) {
    super(message, options);
    this.code = options.code;
  }
}
