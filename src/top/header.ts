import type { ConsoleHistory, ConsoleState } from "../surface/admin/index.ts";
import type { Canvas } from "./canvas.ts";
import { textWidth } from "./cell-width.ts";
import { duration, percent, shortCount, shortNumber } from "./figures.ts";
import { type Glyphs, sparkline } from "./glyphs.ts";
import { bold, cyan, dim, green, plain, red, yellow } from "./style.ts";
import { rankLoad } from "./worker-rows.ts";

/** Text of one style; neighbours in a group are never torn apart. */
export interface Span {
  readonly text: string;
  readonly style: number;
}
type Group = readonly Span[];

const gap = 2;

/** Cells of a curve in a terminal so wide. */
function curveCells(width: number): number {
  return width < 60 ? 8 : width < 100 ? 16 : 30;
}

/**
 * What is true of the whole picker, in as many lines as it takes.
 * @param width of the terminal; Infinity = one line
 */
export function headerGroups(state: ConsoleState, width: number, glyphs: Glyphs): Group[] {
  const { history } = state;
  const cells = curveCells(width);
  const { picksPerSecond, refusalsPerSecond, hitRatio } = history.latest;
  return [
    [
      label("picks/s"),
      { text: shortNumber(picksPerSecond), style: bold },
      { text: sparkline(recent(history.picksPerSecond, cells), cells, glyphs), style: cyan },
    ],
    [
      label("hit rate"),
      { text: percent(hitRatio), style: bold },
      { text: sparkline(hitRates(history, cells), cells, glyphs, 1), style: green },
    ],
    refusals(state.totals.refusals, refusalsPerSecond),
    ...fleetGroups(state),
    ...sharedGroups(state),
    ...modelGroups(state, glyphs),
  ];
}

function fleetGroups({ workers, workersLeftOut, admission }: ConsoleState): Group[] {
  const eligible = workers.filter(({ isEligible }) => isEligible).length;
  const all = workers.length + workersLeftOut;
  const requests = workers.flatMap(({ ranks }) => ranks).reduce((sum, rank) => sum + rankLoad(rank).requests, 0);
  const isShort = eligible < workers.length || workers.length === 0;
  return [
    [label("workers"), { text: `${eligible}/${all}`, style: isShort ? yellow : plain }],
    [label("requests"), { text: shortCount(requests), style: plain }],
    ...(admission === undefined
      ? []
      : [[label("waiting"), { text: shortCount(admission.waiting), style: admission.waiting > 0 ? yellow : plain }]]),
  ];
}

/** What other processes have to do with it. */
function sharedGroups({ replicas, shards, recovery, queueFront }: ConsoleState): Group[] {
  return [
    ...(replicas === undefined ? [] : [replicaGroup(replicas)]),
    ...(shards === undefined ? [] : [shardGroup(shards)]),
    ...(queueFront === undefined ? [] : [queueGroup(queueFront)]),
    ...(recovery === undefined || recovery.state === "recovered" || recovery.state === "idle"
      ? []
      : [[label("index"), { text: recovery.state.replace("_", " "), style: yellow }]]),
  ];
}

function replicaGroup({ isConnected, isNameShared, siblings }: NonNullable<ConsoleState["replicas"]>): Group {
  const text = isConnected ? String(1 + siblings.length) : "cut off";
  const problem = isNameShared ? [{ text: "two of one name", style: red }] : [];
  return [label("replicas"), { text, style: isConnected ? plain : red }, ...problem];
}

function shardGroup(shards: NonNullable<ConsoleState["shards"]>): Group {
  const ready = shards.filter(({ isReady }) => isReady).length;
  return [label("shards"), { text: `${ready}/${shards.length}`, style: ready < shards.length ? yellow : plain }];
}

function queueGroup({ isConnected, waiting }: NonNullable<ConsoleState["queueFront"]>): Group {
  return [label("queued"), { text: isConnected ? shortCount(waiting) : "cut off", style: isConnected ? plain : red }];
}

const shownModels = 3;

function modelGroups({ models }: ConsoleState, glyphs: Glyphs): Group[] {
  const groups = models.slice(0, shownModels).map((model): Group => {
    const isExact = model.tokens === "exact";
    const how = isExact ? `${model.blockSize}` : model.tokens === "load" ? "by load" : "loading";
    return [
      { text: glyphs.shown(model.name), style: plain },
      { text: `(${how})`, style: isExact ? dim : yellow },
    ];
  });
  const more = models.length - groups.length;
  return more > 0 ? [...groups, [label(`and ${more} more models`)]] : groups;
}

function refusals(total: number, perSecond: number): Group {
  const rate = perSecond > 0 ? [{ text: `${shortNumber(perSecond)}/s`, style: red }] : [];
  return [label("refused"), { text: shortCount(total), style: plain }, ...rate];
}

function label(text: string): Span {
  return { text, style: dim };
}

/** The last values, gathered so that a curve of `cells` cells shows all that is known where that is more. */
function recent(values: readonly number[], cells: number): number[] {
  const each = Math.max(1, Math.ceil(values.length / cells));
  const chunks: number[] = [];
  for (let end = values.length; end > 0; end -= each) {
    const chunk = values.slice(Math.max(0, end - each), end);
    chunks.unshift(chunk.reduce((sum, value) => sum + value, 0) / chunk.length);
  }
  return chunks;
}

/** Part of the blocks that were held, over time; undefined where no prompt was placed. */
function hitRates({ promptBlocks, heldBlocks }: ConsoleHistory, cells: number): (number | undefined)[] {
  const [prompts, held] = [recent(promptBlocks, cells), recent(heldBlocks, cells)];
  return prompts.map((blocks, at) => (blocks > 0 ? (held[at] ?? 0) / blocks : undefined));
}

/** The first line: what it is, and whether it is ready. */
export function titleSpans(state: ConsoleState, glyphs: Glyphs): Group {
  const { version, modes, ready, startedAtMs, nowAtMs } = state;
  const dot = { text: glyphs.dot, style: dim };
  return [
    { text: `pointsman ${glyphs.shown(version)}`, style: bold },
    dot,
    { text: modes.map(glyphs.shown).join(", "), style: plain },
    dot,
    ready.isReady ? { text: "ready", style: green } : { text: "NOT READY", style: bold | red },
    dot,
    { text: `up ${duration(nowAtMs - startedAtMs)}`, style: plain },
  ];
}

/** Draws groups one after the other, on the next line where the rest of one is too short. @returns the row below */
export function drawGroups(canvas: Canvas, top: number, groups: readonly Group[], maxRows: number): number {
  let row = top;
  let at = 0;
  for (const group of groups) {
    const width = group.reduce((sum, { text }) => sum + 1 + textWidth(text), -1);
    if (at > 0 && at + gap + width > canvas.width) {
      if (row + 1 >= top + maxRows) break;
      row++;
      at = 0;
    }
    at = drawSpans(canvas, row, at === 0 ? 0 : at + gap, group);
  }
  return row + 1;
}

/** Draws spans with a space between. @returns the column behind */
export function drawSpans(canvas: Canvas, row: number, column: number, spans: Group, end = canvas.width): number {
  let at = column;
  for (const [number, { text, style }] of spans.entries())
    at = canvas.put(row, number === 0 ? at : at + 1, text, style, end);
  return at;
}
