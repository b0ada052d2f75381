import { memberOf, textOf, wholeNumberOf } from "./fields.ts";

/** Query parameters of a request. */
export type KubeQuery = Readonly<Record<string, string>>;

/** The Kubernetes API, as far as it is read here. Tests and other clients stand behind the same two calls. */
export interface KubeApi {
  /** One page of a list, parsed. Rejects with KubeApiError, or with the signal's reason. */
  get(path: string, query: KubeQuery, signal: AbortSignal): Promise<unknown>;
  /** The events of one watch, parsed, until the server ends it. Throws as `get` rejects. */
  watch(path: string, query: KubeQuery, signal: AbortSignal): AsyncIterable<unknown>;
}

export interface KubeApiErrorOptions extends ErrorOptions {
  /** HTTP status, or the code of a Status object in a watch; undefined = no answer came, or one that is none. */
  readonly status?: number | undefined;
  /** How long the server asks not to be called, ms. */
  readonly retryAfterMs?: number | undefined;
}

/** A call of the API failed. */
export class KubeApiError extends Error {
  override readonly name = "KubeApiError";
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { status, retryAfterMs, ...options }: KubeApiErrorOptions = {}) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The error that a Status object tells, with which a watch ends. */
export function statusError(status: unknown, resource: string): KubeApiError {
  const message = textOf(memberOf(status, "message")) ?? "no reason given";
  const seconds = wholeNumberOf(memberOf(status, "details", "retryAfterSeconds"));
  return new KubeApiError(`the watch of ${resource} failed: ${message}`, {
    status: wholeNumberOf(memberOf(status, "code")),
    ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }),
  });
}
