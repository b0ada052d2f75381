import type { Canvas } from "./canvas.ts";
import { textWidth } from "./cell-width.ts";
import { bold, plain, reverse } from "./style.ts";

/** One column of a table of `T`. */
export interface Column<T> {
  readonly title: string;
  /** Those of the lowest numbers are shown where there is no room for all. */
  readonly priority: number;
  /** Cells, at least the title's. */
  readonly minWidth: number;
  /** Cells that it may grow to; absent = it does not grow. */
  readonly maxWidth?: number;
  readonly isRight?: boolean;
  /** @param width cells that it has; 0 = how long would you like it to be */
  readonly text: (item: T, width: number) => string;
  readonly style?: (item: T) => number;
  /** It is what the rows are in order of. */
  readonly isSorted?: boolean;
}

/** A column with the cells that it was given. */
export interface FittedColumn<T> {
  readonly column: Column<T>;
  readonly width: number;
}

const gap = 1;

/** Columns of the table as they fit into `width` cells: the most important ones, grown to what their texts need as far as there is room. */
export function fitColumns<T>(columns: readonly Column<T>[], items: readonly T[], width: number): FittedColumn<T>[] {
  const byPriority = columns.toSorted((a, b) => a.priority - b.priority);
  const widths = new Map<Column<T>, number>();
  let left = width + gap;
  for (const column of byPriority) {
    if (column.minWidth + gap > left && widths.size > 0) continue;
    widths.set(column, column.minWidth);
    left -= column.minWidth + gap;
  }
  for (const column of byPriority) {
    const has = widths.get(column);
    if (has === undefined || column.maxWidth === undefined || left <= 0) continue;
    const more = Math.max(0, Math.min(left, Math.min(column.maxWidth, wanted(column, items)) - has));
    widths.set(column, has + more);
    left -= more;
  }
  return columns.flatMap((column) => {
    const has = widths.get(column);
    return has === undefined ? [] : [{ column, width: Math.min(has, width) }];
  });
}

function wanted<T>({ text, title }: Column<T>, items: readonly T[]): number {
  return items.reduce((most, item) => Math.max(most, textWidth(text(item, 0))), title.length);
}

/** Draws the titles, over the whole row. */
export function drawTitles<T>(canvas: Canvas, row: number, columns: readonly FittedColumn<T>[]): void {
  let at = 0;
  for (const { column, width } of columns) {
    const style = reverse | (column.isSorted === true ? bold : plain);
    put(canvas, row, at, width, column, column.title, style);
    at += width + gap;
  }
  for (let column = 0; column < canvas.width; column++) {
    const cell = row * canvas.width + column;
    canvas.styles[cell] = (canvas.styles[cell] ?? 0) | reverse;
  }
}

/** Draws one item. */
export function drawItem<T>(
  canvas: Canvas,
  row: number,
  columns: readonly FittedColumn<T>[],
  item: T,
  isSelected = false,
): void {
  let at = 0;
  for (const { column, width } of columns) {
    put(canvas, row, at, width, column, column.text(item, width), column.style?.(item) ?? plain);
    at += width + gap;
  }
  if (isSelected) canvas.restyle(row, reverse);
}

function put<T>(
  canvas: Canvas,
  row: number,
  at: number,
  width: number,
  column: Column<T>,
  text: string,
  style: number,
) {
  const start = column.isRight === true ? at + Math.max(0, width - textWidth(text)) : at;
  canvas.put(row, start, text, style, at + width);
}
