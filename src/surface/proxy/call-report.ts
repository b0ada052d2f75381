import type { DispatchFailure } from "../../dispatch/index.ts";
import type { HttpError } from "../../http/index.ts";
import type { ClientHeaders } from "./client-headers.ts";
import type { AttemptOutcome, ProxyLog, ProxyTelemetry } from "./telemetry.ts";

/** Longest part of a request's id that a line shows, in characters. */
const maxRequestIdLength = 128;

/** Tells what goes wrong with one request: metrics count it, the log has it under the request's id, with nothing of its body. */
export class CallReport {
  readonly #telemetry: ProxyTelemetry;
  readonly #log: ProxyLog;
  readonly #requestId: string | undefined;

  /** @param newRequestId the id that it was given; undefined = the client's counts */
  constructor(
    { telemetry, log }: { readonly telemetry: ProxyTelemetry; readonly log: ProxyLog },
    {
      headers,
      newRequestId,
    }: { readonly headers: Pick<ClientHeaders, "get">; readonly newRequestId: string | undefined },
  ) {
    this.#telemetry = telemetry;
    this.#log = log;
    this.#requestId = (newRequestId ?? headers.get("x-request-id"))?.slice(0, maxRequestIdLength);
  }

  /** A worker failed, and the client has got nothing. @param attempt from 1 */
  attemptFailed(endpoint: string, reason: AttemptOutcome, attempt: number): void {
    this.#telemetry.attempted(reason);
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
    this.#log.info({ requestId: this.#requestId, endpoint, reason }, "proxy: an answer broke off");
  }

  /** The client got an error of the proxy's. @param cause shown only where the proxy itself is at fault */
  refused({ status, code }: HttpError, field: string | undefined, cause: unknown): void {
    this.#telemetry.refused(code);
    const fields = { requestId: this.#requestId, status, code, field };
    if (code === "internal") this.#log.error({ ...fields, err: cause }, "proxy: a request failed");
    else this.#log[status >= 500 ? "info" : "debug"](fields, "proxy: refused");
  }
}
