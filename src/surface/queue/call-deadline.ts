import { HttpError } from "../../http/index.ts";

export interface DeadlineOptions {
  /** Of requests that ask for none, ms. */
  readonly defaultTimeoutMs: number;
  /** A request that asks for more gets this, ms. */
  readonly maxTimeoutMs: number;
  /** Headers with the seconds that a client waits; the first that is there counts. */
  readonly timeoutHeaders: readonly string[];
}

/** How long a request waits, ms. @throws HttpError 400 when a header is no number of seconds */
export function timeoutOf(headers: { get(lowerName: string): string | undefined }, options: DeadlineOptions): number {
  const { defaultTimeoutMs, maxTimeoutMs, timeoutHeaders } = options;
  for (const name of timeoutHeaders) {
    const text = headers.get(name)?.trim();
    if (text === undefined || text === "") continue;
    const seconds = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : 0;
    if (seconds <= 0) {
      throw new HttpError(400, "invalid_request", `the header ${name} must be a number of seconds above 0`);
    }
    return Math.max(1, Math.min(maxTimeoutMs, Math.round(seconds * 1_000)));
  }
  return Math.min(defaultTimeoutMs, maxTimeoutMs);
}
