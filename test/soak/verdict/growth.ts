import { leasts } from "./leasts.ts";
import { median, type Point, theilSenSlope } from "./theil-sen.ts";

/** How much a figure may grow over the measured time. */
export interface GrowthBound {
  /** In the figure's unit. */
  readonly most: number;
  /** Beside that, as a share of the figure's median. */
  readonly share: number;
}

/** What became of a figure. */
export interface Growth {
  readonly process: string;
  readonly figure: string;
  readonly median: number;
  /** By the slope of its least values, over the measured time. */
  readonly growth: number;
  readonly bound: number;
  readonly isFlat: boolean;
}

/** What is judged is the least of each tenth of the time: what a sample shows above it is held by the requests of that moment, and a leak raises it too. */
const windows = 10;

/** @param points of the measured time, the warm-up left out; x in any unit of time */
export function growthOf(process: string, figure: string, points: readonly Point[], bound: GrowthBound): Growth {
  const middle = points.length === 0 ? 0 : median(points.map(({ y }) => y));
  const spanned = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0);
  const growth = theilSenSlope(leasts(points, windows)) * spanned;
  const most = bound.most + bound.share * middle;
  return { process, figure, median: middle, growth, bound: most, isFlat: growth <= most };
}
