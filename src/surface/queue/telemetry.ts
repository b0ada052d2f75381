import type { HttpErrorCode } from "../../http/index.ts";

/** An error of ours, as a client got it. */
export interface QueueRefusal {
  readonly code: HttpErrorCode;
  readonly status: number;
  /** The request field at fault; undefined when no field is. */
  readonly field: string | undefined;
  readonly message: string;
  readonly requestId: string;
}

/** What this surface reports, for metrics. Calls must be cheap. */
export interface QueueTelemetry {
  /** A request came that goes into a queue. */
  received(endpoint: string): void;
  /** Its result came. @param waitMs from its writing into the queue */
  resulted(waitMs: number): void;
  /** A client has got its answer. @param sinceReceivedMs from the request's head */
  answered(endpoint: string, status: number, sinceReceivedMs: number): void;
  /** A request was refused, or failed, with an error of ours. */
  refused(refusal: QueueRefusal): void;
  /** A client left before its answer. */
  left(): void;
}

/** Structured log, the shape of pino's. */
export interface QueueLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
