import { drawBadge } from "./badge.js";
import { drawBar } from "./bar.js";
import { blocks, count, percent, shortCount } from "./format.js";
import { eventsCondition, roleWords, workerCondition } from "./worker-words.js";

/**
 * @import { Column } from "./live-table.js"
 * @import { RankRow, scalesOf } from "./ranks.js"
 */

/** What the colours of the two bars mean. @type {readonly (readonly [string, string])[]} */
export const rankLegend = [
  ["decode", "blocks in use"],
  ["prefill", "blocks to prefill"],
  ["device", "cache on the device"],
  ["host", "in host memory"],
  ["disk", "on disk or shared"],
  ["guessed", "guessed"],
];

/**
 * Columns of a rank with its load and its cache. The load's bar is measured by the busiest rank, the cache's by the largest.
 * @param {() => ReturnType<typeof scalesOf>} scales
 * @returns {Column<RankRow>[]}
 */
export function briefColumns(scales) {
  return [
    { label: "Worker", kind: "name", text: ({ name }) => name, below: placeOf, order: ({ name }) => name },
    { label: "State", draw: (cell, { worker }) => drawBadge(cell, workerCondition(worker)), order: stateOrder },
    { label: "Requests", kind: "number", text: ({ load }) => count(load.requests), order: ({ load }) => load.requests },
    {
      label: "Load, blocks",
      kind: "wide",
      draw: (cell, row) => drawLoad(cell, row, scales().loadBlocks),
      order: ({ loadBlocks }) => loadBlocks,
    },
    {
      label: "Cache, blocks (of its device)",
      kind: "wide",
      draw: (cell, row) => drawCache(cell, row, scales().cacheBlocks),
      order: ({ heldBlocks }) => heldBlocks,
    },
  ];
}

/**
 * All columns of the fleet.
 * @param {() => ReturnType<typeof scalesOf>} scales
 * @returns {Column<RankRow>[]}
 */
export function fullColumns(scales) {
  const brief = briefColumns(scales);
  return [
    ...brief.slice(0, 3),
    {
      label: "To prefill, tokens",
      kind: "number",
      text: ({ load }) => count(load.prefillTokens),
      order: ({ load }) => load.prefillTokens,
    },
    ...brief.slice(3),
    {
      label: "KV events",
      draw: (cell, { rank }) => drawBadge(cell, eventsCondition(rank.kvEvents)),
      order: ({ rank }) => eventsCondition(rank.kvEvents).text,
    },
  ];
}

/** @param {RankRow} row */
function placeOf({ worker: { endpoint, role } }) {
  return role === "aggregated" ? endpoint : `${endpoint}, ${roleWords[role].toLowerCase()}`;
}

/** @param {RankRow} row */
function stateOrder({ worker }) {
  return ["bad", "warn", "note", "good"].indexOf(workerCondition(worker).severity);
}

/** @param {HTMLElement} cell @param {RankRow} row @param {number} scale blocks of a full bar */
function drawLoad(cell, { load, prefillBlocks, loadBlocks }, scale) {
  const parts = [
    { kind: "decode", share: load.decodeBlocks / scale },
    { kind: "prefill", share: prefillBlocks / scale },
  ];
  drawBar(cell, parts, blocks(Math.round(loadBlocks)));
}

/** @param {HTMLElement} cell @param {RankRow} row @param {number} scale blocks of a full bar */
function drawCache(cell, { rank: { heldBlocks, guessedBlocks, totalKvBlocks }, heldBlocks: all }, scale) {
  // Blocks in several tiers are drawn once, in the fastest.
  const { total, device, host, disk, external } = heldBlocks;
  const hostOnly = Math.min(host, total - device);
  const rest = Math.min(disk + external, total - device - hostOnly);
  const parts = [
    { kind: "device", share: device / scale },
    { kind: "host", share: hostOnly / scale },
    { kind: "disk", share: rest / scale },
    { kind: "guessed", share: guessedBlocks / scale },
  ];
  const figure =
    totalKvBlocks === undefined ? shortCount(all) : `${shortCount(all)} (${percent(device / totalKvBlocks)})`;
  drawBar(cell, parts, figure, "long");
}
