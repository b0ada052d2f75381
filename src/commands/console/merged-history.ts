import type { ConsoleHistory } from "../../surface/admin/index.ts";

type Column = "picks" | "refusals" | "promptBlocks" | "heldBlocks" | "picksPerSecond" | "requests";

const columns: readonly Column[] = ["picks", "refusals", "promptBlocks", "heldBlocks", "picksPerSecond", "requests"];

/** The histories of several processes of one picker as one: points of one time are summed up. @param histories at least one, of one interval */
export function mergedHistory(histories: readonly ConsoleHistory[]): ConsoleHistory {
  const [first] = histories as [ConsoleHistory];
  const atMs = [...new Set(histories.flatMap((history) => history.atMs))].sort((a, b) => a - b);
  const placeOf = new Map(atMs.map((at, place) => [at, place]));
  const merged = Object.fromEntries(columns.map((column) => [column, summed(histories, column, placeOf)]));
  const latest = (key: "picksPerSecond" | "refusalsPerSecond" | "promptBlocks" | "heldBlocks") =>
    histories.reduce((sum, history) => sum + history.latest[key], 0);
  const promptBlocks = latest("promptBlocks");
  const heldBlocks = latest("heldBlocks");
  return {
    intervalMs: first.intervalMs,
    spanMs: first.spanMs,
    atMs,
    ...(merged as Record<Column, number[]>),
    latest: {
      picksPerSecond: hundredths(latest("picksPerSecond")),
      refusalsPerSecond: hundredths(latest("refusalsPerSecond")),
      promptBlocks,
      heldBlocks,
      hitRatio: promptBlocks === 0 ? undefined : heldBlocks / promptBlocks,
    },
  };
}

function summed(
  histories: readonly ConsoleHistory[],
  column: Column,
  placeOf: ReadonlyMap<number, number>,
): readonly number[] {
  const values = new Array<number>(placeOf.size).fill(0);
  for (const history of histories) {
    for (const [i, at] of history.atMs.entries()) {
      const place = placeOf.get(at) as number;
      values[place] = (values[place] as number) + (history[column][i] ?? 0);
    }
  }
  return column === "picksPerSecond" ? values.map(hundredths) : values;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
