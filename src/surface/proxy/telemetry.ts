import type { DispatchFailure } from "../../dispatch/index.ts";
import type { HttpErrorCode } from "../../http/index.ts";
import type { RouteDecision } from "../../router/index.ts";

/** How far a request has come. */
export type CallPhase = "request" | "pick" | "upstream" | "response";

/** How one worker dealt with a request. */
export type AttemptOutcome = "answered" | "server_error" | DispatchFailure;

/** A worker that was chosen for a request. */
export interface PickReport {
  readonly model: string | undefined;
  readonly api: string;
  readonly mode: string;
  readonly bodyBytes: number;
  /** From the end of the request's body to the choice. */
  readonly durationMs: number;
  readonly inputTokens: number | undefined;
  readonly predictedCachedTokens: number | undefined;
}

export function pickReport(decision: RouteDecision, bodyBytes: number, durationMs: number): PickReport {
  const { model, api, inputTokens, predictedCachedTokens } = decision;
  return { model, api, mode: "proxy", bodyBytes, durationMs, inputTokens, predictedCachedTokens };
}

/** An error of the proxy's, as a client got it. */
export interface ProxyRefusal {
  readonly code: HttpErrorCode;
  readonly status: number;
  /** The request field at fault; undefined when no field is. */
  readonly field: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
}

/** What this surface reports, for metrics. Calls must be cheap: most are made once a request, on its hot path. */
export interface ProxyTelemetry {
  /** A worker was chosen for a request. */
  picked(pick: PickReport): void;
  /** A request was refused with an error of the proxy's. */
  refused(refusal: ProxyRefusal): void;
  /** A worker has answered a request, or failed it. */
  attempted(outcome: AttemptOutcome): void;
  /** A worker failed before the client had a byte, and what became of it. */
  retried(outcome: "sent" | "no_worker" | "no_budget"): void;
  /** The head of an answer has left for the client. @param sinceReceivedMs from the end of the request's body */
  began(status: number, sinceReceivedMs: number): void;
  /** An answer broke off after its beginning. */
  cut(reason: DispatchFailure): void;
  /** Token counts that the worker reported for a request. */
  usage(usage: {
    readonly model: string | undefined;
    readonly inputTokens: number;
    readonly cachedTokens: number | undefined;
    readonly outputTokens: number | undefined;
    readonly predictedCachedTokens: number | undefined;
  }): void;
  /** A successful answer whose token counts could not be read. */
  usageUnread(reason: "encoded" | "too_large" | "absent"): void;
  /** The client left before its answer was complete. */
  aborted(abort: { readonly phase: CallPhase }): void;
}

/** Structured log, the shape of pino's. */
export interface ProxyLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
