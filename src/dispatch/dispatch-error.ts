/** How a worker failed a request. */
export type DispatchFailure =
  /** No connection came about: the worker has got nothing. */
  | "unreachable"
  /** The connection ended before the answer did. */
  | "reset"
  /** The head of the answer did not come in time. */
  | "head_timeout"
  /** The answer stopped for too long. */
  | "stalled"
  /** What came is no HTTP. */
  | "malformed"
  /** It told of an error after it had begun its answer as a good one. */
  | "error_event"
  /** The request cannot be written as HTTP: a fault of the client's, not of the worker's. */
  | "unsendable";

/** A request that its worker did not answer to the end. Its message names no address; `cause` is for the log only. */
export class DispatchError extends Error {
  override readonly name = "DispatchError";
  readonly failure: DispatchFailure;

  constructor(failure: DispatchFailure, options?: ErrorOptions) {
    super(messages[failure], options);
    this.failure = failure;
  }
}

const messages: Readonly<Record<DispatchFailure, string>> = {
  unreachable: "the worker cannot be reached",
  reset: "the worker broke the connection",
  head_timeout: "the worker did not answer in time",
  stalled: "the worker's answer stopped",
  malformed: "the worker's answer cannot be read",
  error_event: "the worker failed within its answer",
  unsendable: "the request cannot be forwarded",
};

const failureByCode: Readonly<Record<string, DispatchFailure>> = {
  UND_ERR_HEADERS_TIMEOUT: "head_timeout",
  UND_ERR_BODY_TIMEOUT: "stalled",
  UND_ERR_HEADERS_OVERFLOW: "malformed",
  UND_ERR_INVALID_ARG: "unsendable",
  UND_ERR_NOT_SUPPORTED: "unsendable",
};

/**
 * Translates what undici reports.
 * @param wasSent whether the request had begun to leave on a connection
 */
export function dispatchErrorOf(cause: unknown, wasSent: boolean): DispatchError {
  const code = codeOf(cause);
  const known = failureByCode[code];
  if (known !== undefined) return new DispatchError(known, { cause });
  if (!wasSent) return new DispatchError("unreachable", { cause });
  return new DispatchError(code.startsWith("HPE_") ? "malformed" : "reset", { cause });
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}
