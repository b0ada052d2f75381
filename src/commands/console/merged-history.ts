import type { ConsoleHistory } from "../../surface/admin/index.ts";

type Column = "picks" | "refusals" | "promptBlocks" | "heldBlocks" | "picksPerSecond" | "requests";

const columns: readonly Column[] = ["picks", "refusals", "promptBlocks", "heldBlocks", "picksPerSecond", "requests"];

/**
 * The histories of several processes of one picker as one: points of one time are summed up.
 * @param histories at least one, of one interval
 */
export function* mergedHistory(histories: readonly ConsoleHistory[]): Generator<undefined, ConsoleHistory> {
  const [first] = histories as [ConsoleHistory];
  const placeOf = yield* placesOf(histories);
  const merged: Partial<Record<Column, readonly number[]>> = {};
  for (const column of columns) merged[column] = yield* summed(histories, column, placeOf);
  const latest = (key: "picksPerSecond" | "refusalsPerSecond" | "promptBlocks" | "heldBlocks") =>
    histories.reduce((sum, history) => sum + history.latest[key], 0);
  const promptBlocks = latest("promptBlocks");
  const heldBlocks = latest("heldBlocks");
  return {
    intervalMs: first.intervalMs,
    spanMs: first.spanMs,
    atMs: [...placeOf.keys()],
    ...(merged as Record<Column, readonly number[]>),
    latest: {
      picksPerSecond: hundredths(latest("picksPerSecond")),
      refusalsPerSecond: hundredths(latest("refusalsPerSecond")),
      promptBlocks,
      heldBlocks,
      hitRatio: promptBlocks === 0 ? undefined : heldBlocks / promptBlocks,
    },
  };
}

/** The times that any of them has, in order, with their places. */
function* placesOf(histories: readonly ConsoleHistory[]): Generator<undefined, ReadonlyMap<number, number>> {
  const times = new Set<number>();
  for (const { atMs } of histories) {
    for (const at of atMs) times.add(at);
    yield undefined;
  }
  const inOrder = Float64Array.from(times).sort();
  yield undefined;
  return new Map(Array.from(inOrder, (at, place) => [at, place]));
}

function* summed(
  histories: readonly ConsoleHistory[],
  column: Column,
  placeOf: ReadonlyMap<number, number>,
): Generator<undefined, readonly number[]> {
  const values = new Array<number>(placeOf.size).fill(0);
  for (const history of histories) {
    for (const [i, at] of history.atMs.entries()) {
      const place = placeOf.get(at) as number;
      values[place] = (values[place] as number) + (history[column][i] ?? 0);
    }
    yield undefined;
  }
  return column === "picksPerSecond" ? values.map(hundredths) : values;
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
