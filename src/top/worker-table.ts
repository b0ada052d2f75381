import { shortCount } from "./figures.ts";
import { bar, type Glyphs } from "./glyphs.ts";
import { cyan, dim, green, plain, red, yellow } from "./style.ts";
import type { Column } from "./table.ts";
import type { EventHealth, SortKey, WorkerRow } from "./worker-rows.ts";

export const healthStyles: Readonly<Record<WorkerRow["health"], number>> = {
  up: green,
  down: red,
  drain: yellow,
  "?": yellow,
};
export const eventStyles: Readonly<Record<EventHealth, number>> = {
  live: green,
  quiet: plain,
  guessed: dim,
  connecting: yellow,
  problem: red,
};
export const shortRoles = { aggregated: "agg", prefill: "prefill", decode: "decode", encode: "encode" } as const;

/**
 * The columns of the table of workers.
 * @param rows all of them: the longest bar is that of the busiest, unless what the workers can hold is known
 */
export function workerColumns(
  rows: readonly WorkerRow[],
  sortBy: SortKey,
  isReversed: boolean,
  glyphs: Glyphs,
): Column<WorkerRow>[] {
  const most = Math.max(1, ...rows.map(({ decodeBlocks }) => decodeBlocks));
  const fill = ({ decodeBlocks, totalKvBlocks }: WorkerRow) => decodeBlocks / (totalKvBlocks || most);
  const columns: Keyed[] = [
    {
      key: "name",
      title: "WORKER",
      priority: 0,
      minWidth: 9,
      maxWidth: 40,
      text: ({ worker }) => glyphs.shown(worker.name) + (worker.problems.length > 0 ? " !" : ""),
    },
    { title: "ROLE", priority: 7, minWidth: 7, text: ({ worker }) => shortRoles[worker.role] },
    {
      key: "health",
      title: "STATE",
      priority: 1,
      minWidth: 6,
      text: ({ health }) => health,
      style: ({ health }) => healthStyles[health],
    },
    counted("requests", "REQ", 2, ({ requests }) => requests),
    counted("prefill", "PREFILL", 3, ({ prefillTokens }) => prefillTokens),
    counted("decode", "DECODE", 4, ({ decodeBlocks }) => decodeBlocks),
    {
      title: "",
      priority: 8,
      minWidth: 5,
      maxWidth: 24,
      text: (row, width) => (width === 0 ? " ".repeat(24) : bar(fill(row), width, glyphs)),
      style: (row) => (fill(row) > 0.9 ? red : cyan),
    },
    counted("held", "HELD", 6, ({ heldBlocks }) => heldBlocks),
    {
      key: "events",
      title: "EVENTS",
      priority: 5,
      minWidth: 10,
      text: ({ events }) => events,
      style: ({ events }) => eventStyles[events],
    },
    { title: "ENDPOINT", priority: 9, minWidth: 21, maxWidth: 60, text: ({ worker }) => glyphs.shown(worker.endpoint) },
  ];
  return columns.map((column) => marked(column, sortBy, isReversed, glyphs));
}

interface Keyed extends Column<WorkerRow> {
  readonly key?: SortKey;
}

function counted(key: SortKey, title: string, priority: number, figure: (row: WorkerRow) => number): Keyed {
  const minWidth = Math.max(5, title.length + 1);
  return { key, title, priority, minWidth, isRight: true, text: (row) => shortCount(figure(row)) };
}

function marked(column: Keyed, sortBy: SortKey, isReversed: boolean, glyphs: Glyphs): Column<WorkerRow> {
  if (column.key !== sortBy) return column;
  // Names rise where everything else falls.
  const mark = (sortBy === "name") === isReversed ? glyphs.down : glyphs.up;
  return { ...column, title: column.title + mark, isSorted: true };
}
