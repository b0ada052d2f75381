import { figureOf, type SoakSample } from "../samples.ts";
import type { SoakRecord } from "../soak.ts";
import { type JudgedFigure, judgedFigures, leastMinutesJudged, warmUpS } from "./bounds.ts";
import { type Growth, type GrowthBound, growthOf } from "./growth.ts";

/** What a soak showed. */
export interface Verdict {
  readonly isGood: boolean;
  /** What is wrong, in words. */
  readonly faults: readonly string[];
  readonly growths: readonly Growth[];
}

/** Judges a soak: memory after a third of the time, unless that is too short, failures, what was left over, and how programs ended. */
export function verdictOf(record: SoakRecord, bounds: Readonly<Record<JudgedFigure, GrowthBound>>): Verdict {
  const growths = growthsOf(measuredSamples(record), bounds);
  const isMemoryJudged = record.minutes >= leastMinutesJudged;
  const faults = isMemoryJudged ? growths.filter(({ isFlat }) => !isFlat).map(wordsOf) : [];
  if (isMemoryJudged && !growths.some(({ figure }) => figure === "heapUsed")) faults.push("no heap was measured");
  if (record.failureCount > 0) {
    const [first] = record.failures;
    faults.push(`${record.failureCount} requests failed, first ${first?.way}: ${first?.kind}: ${first?.failure}`);
  }
  if (record.requests === 0) faults.push("nothing was asked");
  faults.push(...record.leftOver.map((what) => `left over: ${what}`), ...record.indexFaults);
  for (const [name, ending] of Object.entries(record.endings)) {
    if (ending !== "exit code 0") faults.push(`${name} ended with ${ending}`);
  }
  return { isGood: faults.length === 0, faults, growths };
}

/** Those after the warm-up. */
export function measuredSamples({ samples, minutes }: SoakRecord): readonly SoakSample[] {
  return samples.filter(({ atS }) => atS >= warmUpS(minutes));
}

function growthsOf(
  samples: readonly SoakSample[],
  bounds: Readonly<Record<JudgedFigure, GrowthBound>>,
): readonly Growth[] {
  const names = Object.keys(samples.at(-1)?.processes ?? {});
  return names.flatMap((name) =>
    judgedFigures.flatMap((figure) => {
      const points = samples.flatMap(({ atS, processes }) => {
        const sample = processes[name];
        const y = sample && figureOf(sample, figure);
        return y === undefined ? [] : [{ x: atS, y }];
      });
      return points.length < 3 ? [] : [growthOf(name, figure, points, bounds[figure])];
    }),
  );
}

function wordsOf({ process, figure, growth, bound, median }: Growth): string {
  return `${process}: ${figure} grew by ${Math.round(growth)} (bound ${Math.round(bound)}, median ${Math.round(median)})`;
}
