import { STATUS_CODES } from "node:http";
import type { AnswerHead } from "../../http/index.ts";

/** The head of an answer whose body came through a queue. @param lines beside its type, names and values in turn */
export function headOf(status: number, contentType: string, lines: readonly string[]): AnswerHead {
  return {
    status,
    reason: STATUS_CODES[status] ?? "",
    lines: ["content-type", contentType, ...lines],
    mediaType: (contentType.split(";", 1)[0] as string).toLowerCase(),
    isEncoded: false,
    contentLength: undefined,
    hasRequestId: false,
  };
}

export interface RetryAdvice {
  /** `Retry-After` of 429 and 503, seconds. */
  readonly retryAfterSeconds: number;
  /** Whether clients are told not to try again after 504: each try waits as long as the first. */
  readonly discouragesRetries: boolean;
}

/** What an answer says of trying again; the lines that the gateway gave did not travel with it. */
export function retryLines(status: number, { retryAfterSeconds, discouragesRetries }: RetryAdvice): readonly string[] {
  if (status === 429 || status === 503) return ["retry-after", String(Math.ceil(retryAfterSeconds))];
  return status === 504 && discouragesRetries ? ["x-should-retry", "false"] : [];
}
