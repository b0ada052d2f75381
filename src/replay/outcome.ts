/** What came of a simulated run. */
export interface SimulatedOutcome {
  /** Requests by worker. */
  readonly requests: readonly number[];
  /** Prompt tokens sent, by worker. */
  readonly tokens: readonly number[];
  /** Most requests that a worker had at once, by worker. */
  readonly peaks: readonly number[];
  /** Of each request, from its coming to its first token. */
  readonly ttftMs: readonly number[];
  /** Of each request, to its end. */
  readonly totalMs: readonly number[];
  readonly promptTokens: number;
  /** Those of them that the engine held when it began with the request. */
  readonly cachedTokens: number;
}

/** Keeps count of a run. */
export class OutcomeRecord implements SimulatedOutcome {
  readonly requests: number[];
  readonly tokens: number[];
  readonly peaks: number[];
  readonly ttftMs: number[] = [];
  readonly totalMs: number[] = [];
  promptTokens = 0;
  cachedTokens = 0;

  constructor(workers: number) {
    const none = () => new Array<number>(workers).fill(0);
    [this.requests, this.tokens, this.peaks] = [none(), none(), none()];
  }

  /** @param load requests that the worker then has */
  arrived(worker: number, promptTokens: number, load: number): void {
    this.promptTokens += promptTokens;
    this.requests[worker] = (this.requests[worker] ?? 0) + 1;
    this.tokens[worker] = (this.tokens[worker] ?? 0) + promptTokens;
    this.peaks[worker] = Math.max(this.peaks[worker] ?? 0, load);
  }

  firstToken(afterMs: number): void {
    this.ttftMs.push(afterMs);
  }

  finished(afterMs: number, cachedTokens: number): void {
    this.totalMs.push(afterMs);
    this.cachedTokens += cachedTokens;
  }
}

/** A run in a few figures. */
export interface OutcomeSummary {
  readonly requests: number;
  /** Part of the prompt tokens that were cached, 0 to 1. */
  readonly hitRate: number;
  readonly ttftMs: Quantiles;
  readonly totalMs: Quantiles;
  /** Prompt tokens of the busiest worker, in those of the mean; 1 = all have the same. */
  readonly imbalance: number;
  /** Most requests that any worker had at once. */
  readonly peak: number;
}

export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export function summarize(outcome: SimulatedOutcome): OutcomeSummary {
  const { requests, tokens, peaks, ttftMs, totalMs, promptTokens, cachedTokens } = outcome;
  const meanTokens = promptTokens / tokens.length;
  return {
    requests: requests.reduce((sum, count) => sum + count, 0),
    hitRate: promptTokens === 0 ? 0 : cachedTokens / promptTokens,
    ttftMs: quantilesOf(ttftMs),
    totalMs: quantilesOf(totalMs),
    imbalance: meanTokens === 0 ? 1 : Math.max(...tokens) / meanTokens,
    peak: Math.max(0, ...peaks),
  };
}

function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (q: number) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
