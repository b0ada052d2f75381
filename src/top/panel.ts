import type { Canvas } from "./canvas.ts";
import { textWidth } from "./cell-width.ts";
import { drawSpans, type Span } from "./header.ts";
import { plain } from "./style.ts";
import { type Column, drawItem, drawTitles, fitColumns } from "./table.ts";

/** Draws one line of a panel. */
export type PanelRow = (canvas: Canvas, row: number) => void;

export function spansRow(...spans: readonly Span[]): PanelRow {
  return (canvas, row) => drawSpans(canvas, row, 0, spans);
}

/** A text in as many lines as it takes, torn at its spaces. */
export function textRows(text: string, width: number, style = plain): PanelRow[] {
  return wrapped(text, width).map((line) => spansRow({ text: line, style }));
}

export const emptyRow: PanelRow = () => undefined;

/** A table with its titles. */
export function tableRows<T>(columns: readonly Column<T>[], items: readonly T[], width: number): PanelRow[] {
  const fitted = fitColumns(columns, items, width);
  return [
    (canvas, row) => drawTitles(canvas, row, fitted),
    ...items.map(
      (item): PanelRow =>
        (canvas, row) =>
          drawItem(canvas, row, fitted, item),
    ),
  ];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
