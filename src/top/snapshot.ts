import type { ConsoleState } from "../surface/admin/index.ts";
import { Canvas } from "./canvas.ts";
import type { Glyphs } from "./glyphs.ts";
import { drawGroups, drawSpans, headerGroups, titleSpans } from "./header.ts";
import { emptyRow, type PanelRow, tableRows, textRows } from "./panel.ts";
import { pickColumns } from "./pick-list.ts";
import { plain } from "./style.ts";
import { firstView, listsOf } from "./view.ts";
import { workerColumns } from "./worker-table.ts";

/** Rows that the groups of the header may take. */
const maxHeaderRows = 20;

/** All of a state as plain text: every worker, every recent pick, nothing that is for a terminal only. */
export function snapshotText(state: ConsoleState, columns: number, glyphs: Glyphs): string {
  const { rows, picks } = listsOf(state, firstView);
  const { sortBy, isReversed } = firstView;
  const groups = new Canvas(columns, maxHeaderRows, glyphs.ellipsis);
  const height = drawGroups(groups, 0, headerGroups(state, columns, glyphs), maxHeaderRows);
  const title: PanelRow = (canvas, row) => drawSpans(canvas, row, 0, titleSpans(state, glyphs));
  const parts: PanelRow[] = [
    title,
    ...state.ready.reasons.flatMap((reason) => textRows(glyphs.shown(reason), columns)),
    ...groups
      .lines()
      .slice(0, height)
      .map(
        (line): PanelRow =>
          (canvas, row) =>
            canvas.put(row, 0, line, plain),
      ),
    emptyRow,
    ...tableRows(workerColumns(rows, sortBy, isReversed, glyphs), rows, columns),
    emptyRow,
    ...tableRows(pickColumns(glyphs), picks, columns),
  ];
  const canvas = new Canvas(columns, parts.length, glyphs.ellipsis);
  for (const [row, draw] of parts.entries()) draw(canvas, row);
  return `${canvas.lines().join("\n")}\n`;
}
