import type { Outcome, Way } from "../load/outcome.ts";

/** Why requests may fail: something they needed was away. Times are in ms of `performance.now()`. */
export interface Excuse {
  readonly ways: readonly Way[];
  readonly fromMs: number;
  /** Requests that begin later have no excuse. */
  readonly toMs: number;
}

/** Whether a failed request was under way at a time for which there is an excuse. One without an end has none. */
export function isExcused({ way, startMs, endMs, failure = "" }: Outcome, excuses: readonly Excuse[]): boolean {
  if (failure.startsWith("no end within")) return false;
  return excuses.some(({ ways, fromMs, toMs }) => ways.includes(way) && startMs <= toMs && endMs >= fromMs);
}
