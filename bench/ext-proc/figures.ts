/** What one run of the client measured, or the medians of several. */
export interface Figures {
  /** Of the last body. */
  readonly bodyBytes: number;
  /** Requests, warm-up included, that got no pick. */
  readonly failed: number;
  /** From the first byte sent to the pick. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly picksPerSecond: number;
  /** User and system time of the picker per pick, warm-up included, idle work taken off. */
  readonly cpuMs: number;
}

/** Reads the client's line of `name=value` pairs. */
export function parseFigures(line: string, cpuMs: number): Figures {
  const value = (name: string) => Number(line.match(new RegExp(`(?:^|[ ])${name}=([^ ]+)`))?.[1]);
  return {
    bodyBytes: value("body"),
    failed: value("err") + value("shed"),
    p50Ms: value("p50"),
    p99Ms: value("p99"),
    picksPerSecond: value("picks/s"),
    cpuMs,
  };
}

/** Least and most of a figure. */
export type Range = readonly [least: number, most: number];

/** Of CPU time over the rounds. @param rounds at least one */
export function cpuRange(rounds: readonly Figures[]): Range {
  const all = rounds.map(({ cpuMs }) => cpuMs);
  return [Math.min(...all), Math.max(...all)];
}

/** The median of each figure; failures are added up. @param rounds at least one */
export function medianFigures(rounds: readonly Figures[]): Figures {
  const median = (name: keyof Figures) => {
    const sorted = rounds.map((round) => round[name]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  return {
    bodyBytes: median("bodyBytes"),
    failed: rounds.reduce((sum, round) => sum + round.failed, 0),
    p50Ms: median("p50Ms"),
    p99Ms: median("p99Ms"),
    picksPerSecond: median("picksPerSecond"),
    cpuMs: median("cpuMs"),
  };
}
