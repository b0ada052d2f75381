import type { Canvas } from "./canvas.ts";
import { styleSequence } from "./style.ts";

/** Cells between two changes that are written again, since moving the cursor over them takes as many bytes. */
const shortGap = 6;
/** What every terminal takes for one cell: ASCII, and what this program draws with. */
const surelyNarrow = /^[\x20-\x7e\u00b7\u2026\u2190-\u2193\u2500-\u259f]$/;

/**
 * What turns a terminal that shows `before` into one that shows `after`: the cells that differ, and nothing else. Characters whose width terminals
 * do not agree about are followed by an absolute position, so that what stands behind them is in its column everywhere.
 * @param before undefined = nothing is known of what is there; a canvas of another size likewise
 * @returns "" where nothing differs
 */
export function frameText(before: Canvas | undefined, after: Canvas, hasColours: boolean): string {
  const known = before?.width === after.width && before.height === after.height ? before : undefined;
  let text = known === undefined ? "\u001b[0m\u001b[2J" : "";
  for (let row = 0; row < after.height; row++) {
    for (const run of changes(known, after, row)) text += runText(after, row, run, hasColours);
  }
  return text === "" ? "" : `${text}\u001b[0m`;
}

function runText(canvas: Canvas, row: number, [from, to]: [number, number], hasColours: boolean): string {
  let text = cursorTo(row, from);
  let style = -1;
  for (let column = from; column < to; column = nextCell(canvas, row, column)) {
    const at = row * canvas.width + column;
    if (canvas.styles[at] !== style) {
      style = canvas.styles[at] ?? 0;
      text += styleSequence(style, hasColours);
    }
    const cell = canvas.texts[at] ?? " ";
    text += cell;
    if (!surelyNarrow.test(cell)) text += columnTo(nextCell(canvas, row, column));
  }
  return text;
}

/** Runs of cells of a row that differ, `[from, to)`, no wide character halved. */
function changes(before: Canvas | undefined, after: Canvas, row: number): [number, number][] {
  if (before === undefined) return [[0, after.width]];
  const runs: [number, number][] = [];
  const start = row * after.width;
  for (let column = 0; column < after.width; column++) {
    const at = start + column;
    if (before.texts[at] === after.texts[at] && before.styles[at] === after.styles[at]) continue;
    const last = runs.at(-1);
    if (last !== undefined && column - last[1] <= shortGap) last[1] = column + 1;
    else runs.push([column, column + 1]);
  }
  return runs.map(([from, to]) => [wholeFrom(before, after, row, from), nextCell(after, row, to - 1)]);
}

function wholeFrom(before: Canvas, after: Canvas, row: number, column: number): number {
  let from = column;
  const isRest = (at: number) => before.texts[at] === "" || after.texts[at] === "";
  while (from > 0 && isRest(row * after.width + from)) from--;
  return from;
}

function nextCell({ texts, width }: Canvas, row: number, column: number): number {
  let next = column + 1;
  while (next < width && texts[row * width + next] === "") next++;
  return next;
}

function cursorTo(row: number, column: number): string {
  return `\u001b[${row + 1};${column + 1}H`;
}

function columnTo(column: number): string {
  return `\u001b[${column + 1}G`;
}
