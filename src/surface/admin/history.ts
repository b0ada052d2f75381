import type { ConsoleHistory, ConsoleTotals } from "./console-state.ts";

export interface HistoryOptions {
  readonly historyMinutes: number;
  readonly historyIntervalMs: number;
}

/** Most time that "latest" looks back, ms. */
const latestSpanMs = 10_000;

interface Reading {
  /** Monotonic, ms. */
  readonly atMs: number;
  readonly totals: ConsoleTotals;
}

type Columns = Readonly<
  Record<"picks" | "refusals" | "promptBlocks" | "heldBlocks" | "picksPerSecond" | "requests", Float64Array>
>;

/**
 * What was counted in the last minutes, a point for each interval, in memory that is taken once. Counters that exist anyway are read on a
 * timer: a pick pays nothing.
 */
export class History {
  readonly #intervalMs: number;
  readonly #capacity: number;
  /** End of each point's time; 0 = none yet. */
  readonly #atMs: Float64Array;
  readonly #columns: Columns;
  #count = 0;
  /** Of the last point. */
  #reading: Reading | undefined;
  /** The latest readings, the oldest first: for rates of the last seconds. */
  #recent: Reading[] = [];

  constructor({ historyMinutes, historyIntervalMs }: HistoryOptions) {
    this.#intervalMs = historyIntervalMs;
    this.#capacity = Math.max(1, Math.floor((historyMinutes * 60_000) / historyIntervalMs));
    this.#atMs = new Float64Array(this.#capacity);
    const column = () => new Float64Array(this.#capacity);
    this.#columns = {
      picks: column(),
      refusals: column(),
      promptBlocks: column(),
      heldBlocks: column(),
      picksPerSecond: column(),
      requests: column(),
    };
  }

  /**
   * Adds a point, of the time since the last call; the first call begins.
   * @param requests booked at this moment
   * @param wallMs ms since 1970
   * @param nowMs monotonic
   */
  add(totals: ConsoleTotals, requests: number, wallMs: number, nowMs: number): void {
    const before = this.#reading;
    this.#reading = { atMs: nowMs, totals };
    this.read(totals, nowMs);
    if (before === undefined) return;
    const at = this.#count % this.#capacity;
    this.#count += 1;
    this.#atMs[at] = Math.round(wallMs / this.#intervalMs) * this.#intervalMs;
    const change = changeOf(before.totals, totals);
    const { picks, refusals, promptBlocks, heldBlocks, picksPerSecond, requests: booked } = this.#columns;
    picks[at] = change.picks;
    refusals[at] = change.refusals;
    promptBlocks[at] = change.promptBlocks;
    heldBlocks[at] = change.heldBlocks;
    picksPerSecond[at] = perSecond(change.picks, nowMs - before.atMs);
    booked[at] = requests;
  }

  /** Takes note of totals between two points, for the latest rates. */
  read(totals: ConsoleTotals, nowMs: number): void {
    this.#recent.push({ atMs: nowMs, totals });
    // One that is older is kept, so that the whole span is covered.
    const first = this.#recent.findLastIndex(({ atMs }) => nowMs - atMs >= latestSpanMs);
    if (first > 0) this.#recent = this.#recent.slice(first);
  }

  state(): ConsoleHistory {
    const kept = Math.min(this.#count, this.#capacity);
    const start = (this.#count - kept) % this.#capacity;
    const list = (values: Float64Array) =>
      Array.from({ length: kept }, (_, i) => values[(start + i) % this.#capacity] ?? 0);
    const { picks, refusals, promptBlocks, heldBlocks, picksPerSecond, requests } = this.#columns;
    return {
      intervalMs: this.#intervalMs,
      spanMs: this.#capacity * this.#intervalMs,
      atMs: list(this.#atMs),
      picks: list(picks),
      refusals: list(refusals),
      promptBlocks: list(promptBlocks),
      heldBlocks: list(heldBlocks),
      picksPerSecond: list(picksPerSecond),
      requests: list(requests),
      latest: this.#latest(),
    };
  }

  #latest(): ConsoleHistory["latest"] {
    const first = this.#recent[0];
    const last = this.#recent.at(-1);
    if (first === undefined || last === undefined || first === last) {
      return { picksPerSecond: 0, refusalsPerSecond: 0, promptBlocks: 0, heldBlocks: 0, hitRatio: undefined };
    }
    const change = changeOf(first.totals, last.totals);
    const spanMs = last.atMs - first.atMs;
    return {
      picksPerSecond: perSecond(change.picks, spanMs),
      refusalsPerSecond: perSecond(change.refusals, spanMs),
      promptBlocks: change.promptBlocks,
      heldBlocks: change.heldBlocks,
      hitRatio: change.promptBlocks === 0 ? undefined : change.heldBlocks / change.promptBlocks,
    };
  }
}

function changeOf(before: ConsoleTotals, after: ConsoleTotals): ConsoleTotals {
  return {
    picks: after.picks - before.picks,
    refusals: after.refusals - before.refusals,
    promptBlocks: after.promptBlocks - before.promptBlocks,
    heldBlocks: after.heldBlocks - before.heldBlocks,
  };
}

/** In hundredths. */
function perSecond(count: number, spanMs: number): number {
  return spanMs > 0 ? Math.round((count * 100_000) / spanMs) / 100 : 0;
}
