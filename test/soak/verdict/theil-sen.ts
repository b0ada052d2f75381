/** A value at a time. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * The slope of Theil and Sen: the median of the slopes between all pairs of points of different x. Up to 29 % of the points may be anything without
 * moving it far. 0 where there are no such pairs.
 */
export function theilSenSlope(points: readonly Point[]): number {
  const slopes: number[] = [];
  for (const [i, a] of points.entries()) {
    for (const b of points.slice(i + 1)) if (a.x !== b.x) slopes.push((b.y - a.y) / (b.x - a.x));
  }
  return slopes.length === 0 ? 0 : median(slopes);
}

/** The middle value, the mean of both where there are two; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}
