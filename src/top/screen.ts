import type { ConsoleState, ExplainedPick, PickSummary } from "../surface/admin/index.ts";
import { Canvas } from "./canvas.ts";
import { textWidth } from "./cell-width.ts";
import { clockTime, duration } from "./figures.ts";
import type { Glyphs } from "./glyphs.ts";
import { drawGroups, drawSpans, headerGroups, titleSpans } from "./header.ts";
import { helpRows } from "./help-panel.ts";
import { type PanelRow, textRows } from "./panel.ts";
import { pickColumns } from "./pick-list.ts";
import { bold, dim, plain, red, reverse, yellow } from "./style.ts";
import { drawItem, drawTitles, type FittedColumn, fitColumns } from "./table.ts";
import { type Extent, type Lists, listsOf, selectedAt, type View } from "./view.ts";
import { whyRows } from "./why-panel.ts";
import { workerRows } from "./worker-panel.ts";
import { workerColumns } from "./worker-table.ts";

/** Why the selected pick: as far as it is known. */
export type Explanation = ExplainedPick | { readonly problem: string } | undefined;

/** All that a frame is drawn from. */
export interface Scene {
  /** The latest; undefined = the picker never answered. */
  readonly state: ConsoleState | undefined;
  readonly view: View;
  readonly explanation: Explanation;
  /** Why there is nothing newer; undefined = the last answer is fresh. */
  readonly problem: string | undefined;
  /** Since the last answer, or since the beginning where there was none. */
  readonly silentMs: number;
  /** Whose state it is. */
  readonly url: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** A frame, and how far its lists and panels reach. */
export interface DrawnScene {
  readonly canvas: Canvas;
  readonly lists: Lists;
  readonly extent: Extent;
}

const noLists: Lists = { rows: [], picks: [] };

export function drawScene(scene: Scene, { columns, rows }: Size, glyphs: Glyphs): DrawnScene {
  const canvas = new Canvas(columns, rows, glyphs.ellipsis);
  const { state, view } = scene;
  const top = drawHead(canvas, scene, glyphs);
  if (state === undefined) {
    drawFoot(canvas, "q quit", "", plain);
    return { canvas, lists: noLists, extent: { pageRows: 1, maxScroll: 0 } };
  }
  const lists = listsOf(state, view);
  const body = { top, bottom: Math.max(top, rows - 1) };
  const extent =
    view.panel === "none"
      ? drawLists(canvas, body, lists, view, glyphs)
      : drawPanel(canvas, body, panelRows(scene, state, columns, glyphs), view.scroll);
  drawKeys(canvas, view, lists, glyphs);
  return { canvas, lists, extent };
}

/** @returns the first row below */
function drawHead(canvas: Canvas, { state, problem, silentMs, url }: Scene, glyphs: Glyphs): number {
  const lines: PanelRow[] = [];
  if (problem !== undefined) {
    const since = state === undefined ? `No answer from ${url}` : `No answer for ${duration(silentMs)}`;
    lines.push(...textRows(glyphs.shown(`${since}: ${problem}; trying again`), canvas.width, bold | red));
  }
  if (state === undefined) {
    const text = problem === undefined ? `Asking ${glyphs.shown(url)} ${glyphs.ellipsis}` : "";
    canvas.put(0, 0, `pointsman top ${glyphs.dot} ${text}`, bold);
  } else {
    const clock = clockTime(state.nowAtMs);
    const isRoomy = canvas.width >= 60;
    drawSpans(canvas, 0, 0, titleSpans(state, glyphs), isRoomy ? canvas.width - clock.length - 1 : canvas.width);
    if (isRoomy) canvas.put(0, canvas.width - clock.length, clock, dim);
    for (const reason of state.ready.reasons) lines.push(...textRows(glyphs.shown(reason), canvas.width, yellow));
  }
  const shown = lines.slice(0, Math.max(1, Math.floor(canvas.height / 4)));
  for (const [at, draw] of shown.entries()) draw(canvas, 1 + at);
  const top = 1 + shown.length;
  if (state === undefined) return top;
  return drawGroups(canvas, top, headerGroups(state, canvas.width, glyphs), Math.max(1, Math.floor(canvas.height / 5)));
}

interface Body {
  readonly top: number;
  /** The first row below it. */
  readonly bottom: number;
}

/** Rows of the body below which only one of the lists is shown. */
const leastForBoth = 10;

function drawLists(canvas: Canvas, { top, bottom }: Body, { rows, picks }: Lists, view: View, glyphs: Glyphs): Extent {
  const height = bottom - top;
  const isWorkers = view.focus === "workers";
  const forPicks = height < leastForBoth ? (isWorkers ? 0 : height) : Math.max(4, Math.floor(height * 0.35));
  const forWorkers = height < leastForBoth ? height - forPicks : Math.min(rows.length + 2, height - forPicks);
  const workers = {
    columns: fitColumns(workerColumns(rows, view.sortBy, view.isReversed, glyphs), rows, canvas.width),
    items: rows,
    selected: selectedAt(
      rows.map(({ worker }) => worker.id),
      view.worker,
    ),
    isFocused: isWorkers,
  };
  const recent = {
    columns: fitColumns(pickColumns(glyphs), picks, canvas.width),
    items: picks,
    selected: selectedAt(
      picks.map(({ id }) => id),
      view.pick,
    ),
    isFocused: !isWorkers,
  };
  drawList(canvas, { top, bottom: top + forWorkers }, workers);
  drawList(canvas, { top: top + forWorkers, bottom }, recent);
  return { pageRows: Math.max(1, (isWorkers ? forWorkers : height - forWorkers) - 1), maxScroll: 0 };
}

interface DrawnList<T> {
  readonly columns: readonly FittedColumn<T>[];
  readonly items: readonly T[];
  readonly selected: number;
  readonly isFocused: boolean;
}

/** Titles, and as many items as there is room for, the selected one among them. */
function drawList<T>(
  canvas: Canvas,
  { top, bottom }: Body,
  { columns, items, selected, isFocused }: DrawnList<T>,
): void {
  const room = bottom - top - 1;
  if (room < 0) return;
  drawTitles(canvas, top, columns);
  const first = Math.max(0, Math.min(items.length - room, selected - Math.floor(room / 2)));
  for (const [at, item] of items.slice(first, first + room).entries())
    drawItem(canvas, top + 1 + at, columns, item, isFocused && first + at === selected);
}

function drawPanel(canvas: Canvas, { top, bottom }: Body, rows: readonly PanelRow[], scroll: number): Extent {
  const room = Math.max(1, bottom - top);
  const maxScroll = Math.max(0, rows.length - room);
  const first = Math.min(scroll, maxScroll);
  for (const [at, draw] of rows.slice(first, first + room).entries()) draw(canvas, top + at);
  return { pageRows: room, maxScroll };
}

function panelRows(
  { view, explanation }: Scene,
  { workers, picks }: ConsoleState,
  width: number,
  glyphs: Glyphs,
): readonly PanelRow[] {
  if (view.panel === "help") return helpRows;
  if (view.panel === "worker") {
    const worker = workers.find(({ id }) => id === view.worker);
    return worker === undefined ? textRows("This worker is gone.", width) : workerRows(worker, width, glyphs);
  }
  if (explanation === undefined) return textRows(`Asking why ${glyphs.ellipsis}`, width, dim);
  return "problem" in explanation
    ? problemRows(explanation.problem, picks, view, width, glyphs)
    : whyRows(explanation, width, glyphs);
}

function problemRows(problem: string, picks: readonly PickSummary[], { pick }: View, width: number, glyphs: Glyphs) {
  const isKept = picks.some(({ id }) => id === pick);
  const text = isKept ? problem : `${problem} (this pick is no longer among the recent ones)`;
  return textRows(glyphs.shown(text), width, red);
}

function drawKeys(canvas: Canvas, view: View, { rows, picks }: Lists, glyphs: Glyphs): void {
  if (view.isTyping) {
    drawFoot(canvas, `/${glyphs.shown(view.filter)}_  Enter keeps it, Esc takes it away`, "", plain);
    return;
  }
  if (view.panel !== "none") {
    drawFoot(canvas, "Esc back  up/down scroll  q quit", "", dim);
    return;
  }
  const isWorkers = view.focus === "workers";
  const ids = isWorkers ? rows.map(({ worker }) => worker.id) : picks.map(({ id }) => id);
  const place = ids.length === 0 ? "none" : `${1 + selectedAt(ids, isWorkers ? view.worker : view.pick)}/${ids.length}`;
  const filter = view.filter === "" ? "" : `/${glyphs.shown(view.filter)} `;
  drawFoot(
    canvas,
    `q quit  ? help  Enter ${isWorkers ? "all" : "why"}  Tab ${isWorkers ? "picks" : "workers"}  s sort  / filter`,
    filter + place,
    dim,
  );
}

function drawFoot(canvas: Canvas, left: string, right: string, style: number): void {
  const row = canvas.height - 1;
  const width = textWidth(right);
  const end = width === 0 ? canvas.width : Math.max(0, canvas.width - width - 1);
  canvas.put(row, 0, left, style, end);
  canvas.put(row, canvas.width - width, right, reverse);
}
