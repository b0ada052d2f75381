import type { DispatchFailure } from "../../dispatch/index.ts";
import type { HttpError } from "../../http/index.ts";
import type { PrepareWait, RouteDecision } from "../../router/index.ts";
import type { RequestTrace } from "../../telemetry/index.ts";
import { CallTrace } from "./call-trace.ts";
import type { ClientHeaders } from "./client-headers.ts";
import { type AttemptOutcome, type CallPhase, type ProxyLog, type ProxyTelemetry, pickReport } from "./telemetry.ts";

/** Longest part of a request's id that a line shows, in characters. */
const maxRequestIdLength = 128;

/** Tells how one request goes: metrics count it, its trace shows it, the log has what goes wrong under the request's id; nothing of its body. */
export class CallReport {
  readonly #telemetry: ProxyTelemetry;
  readonly #log: ProxyLog;
  readonly #requestId: string | undefined;
  readonly #trace: CallTrace | undefined;

  /** @param newRequestId the id that it was given; undefined = the client's counts */
  constructor(
    { telemetry, log }: { readonly telemetry: ProxyTelemetry; readonly log: ProxyLog },
    {
      headers,
      newRequestId,
      trace,
    }: {
      readonly headers: Pick<ClientHeaders, "get">;
      readonly newRequestId: string | undefined;
      readonly trace?: RequestTrace | undefined;
    },
  ) {
    this.#telemetry = telemetry;
    this.#log = log;
    this.#requestId = (newRequestId ?? headers.get("x-request-id"))?.slice(0, maxRequestIdLength);
    this.#trace = trace?.span && new CallTrace(trace.span, this.#requestId);
  }

  /** A worker is chosen from here on. @returns the wait for it */
  choosing(wait: PrepareWait): PrepareWait {
    return this.#trace === undefined ? wait : this.#trace.choosing(wait);
  }

  picked(decision: RouteDecision, bodyBytes: number, durationMs: number): void {
    this.#telemetry.picked(pickReport(decision, bodyBytes, durationMs));
    this.#trace?.picked(decision);
  }

  /** The request is on its way to the worker, on a connection. */
  sent(): void {
    this.#trace?.sent();
  }

  /** The head of an answer has left for the client. */
  began(status: number, sinceReceivedMs: number): void {
    this.#telemetry.began(status, sinceReceivedMs);
    this.#trace?.began(status);
  }

  /** The first content has come. */
  contentBegan(): void {
    this.#trace?.content();
  }

  /** The answer has gone to the client as a whole. */
  answered(): void {
    this.#telemetry.attempted("answered");
    this.#trace?.attempted();
  }

  usage(usage: Parameters<ProxyTelemetry["usage"]>[0]): void {
    this.#telemetry.usage(usage);
    this.#trace?.used(usage);
  }

  usageUnread(reason: Parameters<ProxyTelemetry["usageUnread"]>[0]): void {
    this.#telemetry.usageUnread(reason);
  }

  /** The client left before its answer was complete. */
  left(phase: CallPhase): void {
    this.#telemetry.aborted({ phase });
    this.#trace?.end("client_left");
  }

  /** Nothing more follows. */
  end(): void {
    this.#trace?.end();
  }

  /** A worker failed, and the client has got nothing. @param attempt from 1 */
  attemptFailed(endpoint: string, reason: AttemptOutcome, attempt: number): void {
    this.#telemetry.attempted(reason);
    this.#trace?.attempted(reason);
    this.#log.debug({ requestId: this.#requestId, endpoint, reason, attempt }, "proxy: a worker failed");
  }

  /** Another worker is asked. @param attempt from 2 */
  retried(endpoint: string, attempt: number): void {
    this.#telemetry.retried("sent");
    this.#log.debug({ requestId: this.#requestId, endpoint, attempt }, "proxy: another worker is asked");
  }

  /** The last worker's own error has gone to the client. */
  passedOn(endpoint: string, status: number, attempts: number): void {
    this.#log.info({ requestId: this.#requestId, endpoint, status, attempts }, "proxy: a worker's error was passed on");
  }

  /** An answer broke off after its beginning. */
  cut(endpoint: string, reason: DispatchFailure): void {
    this.#telemetry.attempted(reason);
    this.#telemetry.cut(reason);
    this.#trace?.end(reason);
    this.#log.info({ requestId: this.#requestId, endpoint, reason }, "proxy: an answer broke off");
  }

  /**
   * The client got an error of the proxy's.
   * @param cause shown only where the proxy itself is at fault
   * @param endpoint of the worker asked last, for the log alone; absent = none was
   */
  refused({ status, code, message }: HttpError, field: string | undefined, cause: unknown, endpoint?: string): void {
    const requestId = this.#requestId;
    this.#telemetry.refused({ code, status, field, message, requestId });
    this.#trace?.end(code);
    const fields = { requestId, status, code, field, endpoint };
    if (code === "internal") this.#log.error({ ...fields, err: cause }, "proxy: a request failed");
    else this.#log[status >= 500 ? "info" : "debug"](fields, "proxy: refused");
  }
}
