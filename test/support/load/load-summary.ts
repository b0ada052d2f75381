import type { TurnResult } from "./run-workload.ts";

/** A run in numbers. */
export interface LoadSummary {
  readonly requests: number;
  readonly failures: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  /** Cached share of all prompt tokens, in [0, 1]; NaN without tokens. */
  readonly hitRate: number;
  /** Time to the first byte of the body in ms. */
  readonly firstByteMs: { readonly p50: number; readonly p90: number; readonly p99: number };
  /** Requests by worker name. */
  readonly requestsByWorker: Readonly<Record<string, number>>;
}

/** Sums up the results of a run. */
export function summarizeLoad(results: readonly TurnResult[]): LoadSummary {
  const total = (read: (result: TurnResult) => number | undefined) =>
    results.reduce((sum, result) => sum + (read(result) ?? 0), 0);
  const promptTokens = total((result) => result.answer?.promptTokens);
  const cachedTokens = total((result) => result.answer?.cachedTokens);
  const times = results.flatMap((result) => result.firstByteMs ?? []).sort((a, b) => a - b);
  const requestsByWorker: Record<string, number> = {};
  for (const { worker = "none" } of results) requestsByWorker[worker] = (requestsByWorker[worker] ?? 0) + 1;
  return {
    requests: results.length,
    failures: total((result) => (result.failure === undefined ? 0 : 1)),
    promptTokens,
    cachedTokens,
    hitRate: cachedTokens / promptTokens,
    firstByteMs: { p50: quantile(times, 0.5), p90: quantile(times, 0.9), p99: quantile(times, 0.99) },
    requestsByWorker,
  };
}

/** The value below which `share` of the sorted values lie; NaN of none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
