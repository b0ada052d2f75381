import type { Point } from "./theil-sen.ts";

/** The lowest point of each window. @param points in their order @param windows at most so many, each of about as many points */
export function leasts(points: readonly Point[], windows: number): readonly Point[] {
  const length = Math.max(1, Math.floor(points.length / windows));
  const lowest: Point[] = [];
  for (let start = 0; start + length <= points.length; start += length) {
    const [first, ...rest] = points.slice(start, start + length);
    if (first !== undefined) lowest.push(rest.reduce((least, point) => (point.y < least.y ? point : least), first));
  }
  return lowest;
}
