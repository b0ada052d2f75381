import type { OutcomeSummary } from "./outcome.ts";

/** A policy and what came of it. */
export interface PolicyResult {
  readonly name: string;
  readonly summary: OutcomeSummary;
}

const titles = ["policy", "hit rate", "TTFT p50 ms", "p90", "p99", "total p50 ms", "p99", "busiest / mean", "peak"];
const barCells = 40;
const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** A table for people, one policy a line. */
export function tableOf(results: readonly PolicyResult[]): string {
  const rows = [titles, ...results.map(cellsOf)];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  return `${rows.map(line).join("\n")}\n`;
}

function cellsOf({ name, summary }: PolicyResult): readonly string[] {
  const { hitRate, ttftMs, totalMs, imbalance, peak } = summary;
  return [
    name,
    hitRate.toFixed(3),
    ttftMs.p50.toFixed(0),
    ttftMs.p90.toFixed(0),
    ttftMs.p99.toFixed(0),
    totalMs.p50.toFixed(0),
    totalMs.p99.toFixed(0),
    imbalance.toFixed(2),
    String(peak),
  ];
}

/** Bars of one figure, the longest as wide as the plot. */
export function barsOf(
  title: string,
  results: readonly PolicyResult[],
  figure: (summary: OutcomeSummary) => number,
): string {
  const values = results.map(({ summary }) => figure(summary));
  const most = Math.max(...values.filter((value) => Number.isFinite(value)), Number.MIN_VALUE);
  const nameWidth = Math.max(...results.map(({ name }) => name.length));
  const bars = results.map(({ name }, at) => {
    const value = values[at] ?? 0;
    return `${name.padEnd(nameWidth)}  ${bar(value / most)} ${shown(value)}`;
  });
  return `${title}\n${bars.join("\n")}\n`;
}

function bar(part: number): string {
  const cells = Math.max(0, Math.min(1, part)) * barCells;
  const whole = Math.floor(cells);
  return "█".repeat(whole) + (eighths[Math.floor((cells - whole) * 8)] ?? "");
}

function shown(value: number): string {
  return value < 10 ? value.toFixed(3) : value.toFixed(0);
}
