import type { RoutingError, RoutingErrorCode } from "../../errors/index.ts";
import type { BodyMode } from "./body-mode.ts";

/** What this surface reports, for metrics. Calls must be cheap: most are made once a request, on its hot path. */
export interface ExtProcTelemetry {
  /** A request was placed and the answer handed to the gateway. */
  picked(pick: PickReport): void;
  /** A request was refused with an error of ours. */
  failed(failure: FailureReport): void;
  /** Token counts that the worker reported for a request. */
  usage(usage: UsageReport): void;
  /** A successful response whose token counts could not be read. */
  usageUnread(reason: UsageUnreadReason): void;
  /** Another endpoint than the picked one served a request. */
  mismatch(mismatch: { readonly picked: string; readonly served: string }): void;
  /** The stream ended before its work was done: the client left. */
  aborted(abort: { readonly phase: StreamPhase }): void;
  /** Told after each change. The object is the same each time and stays current. */
  inFlight(totals: InFlightTotals): void;
}

export interface FailureReport {
  readonly code: RoutingErrorCode;
  /** The request field at fault; undefined when no field is. */
  readonly field: string | undefined;
  /** What the client was told. */
  readonly message: string;
  readonly requestId: string | undefined;
  readonly durationMs: number;
}

export interface PickReport {
  readonly model: string | undefined;
  readonly api: string;
  readonly mode: BodyMode;
  readonly bodyBytes: number;
  /** From the end of the request's body to the answer. */
  readonly durationMs: number;
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

/** Counts in tokens; undefined where the worker does not tell. */
export interface UsageReport {
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly cachedTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

export type UsageUnreadReason =
  /** The response is compressed. */
  | "encoded"
  /** The counts are longer than what is kept of a response. */
  | "too_large"
  /** The response ended without counts. */
  | "absent";

/** How far a stream has come. */
export type StreamPhase =
  /** The request is being read. */
  | "request"
  /** The router is choosing. */
  | "pick"
  /** The answer has left, the response has not begun. */
  | "upstream"
  /** The response is passing. */
  | "response";

export interface InFlightTotals {
  /** Open ext_proc streams. */
  readonly streams: number;
  /** Requests between their headers and their answer. */
  readonly picks: number;
  /** Bytes of request bodies held. */
  readonly bodyBytes: number;
}

/** Structured log, the shape of pino's. */
export interface ExtProcLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A refusal is the client's affair, a failure of our own is the operator's. */
export function logRefusal(logger: ExtProcLogger, error: RoutingError, requestId: string | undefined): void {
  const fields = { code: error.code, field: error.field, requestId };
  if (error.code === "internal") logger.error({ ...fields, err: error.cause ?? error }, "ext_proc: failed");
  else logger.debug(fields, "ext_proc: refused");
}
