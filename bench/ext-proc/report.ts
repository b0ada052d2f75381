import type { Figures, Range } from "./figures.ts";

/** One line of the table: one kind of load, and what it cost each picker. */
export interface Row {
  readonly work: string;
  readonly concurrency: number;
  readonly ours: Figures;
  readonly oursCpuRange: Range;
  readonly peer: Figures | undefined;
}

const columns = [
  "work",
  "body bytes",
  "at once",
  "failed",
  "CPU ms/pick",
  "ours, least to most",
  "p50 ms",
  "p99 ms",
  "picks/s",
];

/** Prints a Markdown table. With a peer, a cell reads `ours / peer = ratio`; a ratio under 1 is in our favour but for picks/s. */
export function printTable(rows: readonly Row[]): void {
  console.log(columns.join(" | "));
  console.log(columns.map(() => "---").join(" | "));
  for (const row of rows) console.log(cells(row).join(" | "));
}

function cells({ work, concurrency, ours, oursCpuRange: [least, most], peer }: Row): unknown[] {
  const failed = peer === undefined ? ours.failed : `${ours.failed} / ${peer.failed}`;
  const pair = (name: keyof Figures, digits: number) => compared(ours[name], peer?.[name], digits);
  const range = `${least.toFixed(2)} to ${most.toFixed(2)}`;
  const figures = [pair("cpuMs", 2), range, pair("p50Ms", 2), pair("p99Ms", 2), pair("picksPerSecond", 0)];
  return [work, ours.bodyBytes, concurrency, failed, ...figures];
}

function compared(ours: number, peer: number | undefined, digits: number): string {
  if (peer === undefined) return ours.toFixed(digits);
  return `${ours.toFixed(digits)} / ${peer.toFixed(digits)} = ${(ours / peer).toFixed(2)}`;
}
