import { drawBadge } from "./badge.js";
import { drawBar } from "./bar.js";
import { clockTime, count, percent, unknown } from "./format.js";
import { rankName } from "./why.js";

/**
 * @import { PickSummary } from "../console-picks.ts"
 * @import { Column } from "./live-table.js"
 */

/** @type {Column<PickSummary>[]} */
export const briefPickColumns = [
  { label: "Time", text: ({ atMs }) => clockTime(atMs), order: ({ atMs }) => atMs },
  { label: "Worker", kind: "name", draw: drawWorker, order: ({ picked }) => picked?.workerName ?? "" },
  { label: "Model", kind: "name", text: ({ model }) => model ?? unknown, order: ({ model }) => model ?? "" },
  {
    label: "Prompt, tokens",
    kind: "number",
    text: ({ promptTokens }) => count(promptTokens),
    order: ({ promptTokens }) => promptTokens ?? -1,
  },
  { label: "Held already, blocks", kind: "wide", draw: drawHeld, order: heldShare },
];

/** @type {Column<PickSummary>[]} */
export const fullPickColumns = [
  ...briefPickColumns.slice(0, 3),
  { label: "API", text: ({ api }) => api, order: ({ api }) => api },
  ...briefPickColumns.slice(3),
  {
    label: "Request id",
    kind: "name",
    text: ({ requestId }) => requestId ?? unknown,
    order: ({ requestId }) => requestId ?? "",
  },
];

/** @param {HTMLElement} cell @param {PickSummary} pick */
function drawWorker(cell, { outcome, picked, prefill }) {
  if (picked === undefined) {
    drawBadge(cell, { severity: "bad", text: `Refused: ${outcome.replaceAll("_", " ")}` });
    return;
  }
  cell.className = "";
  cell.textContent = prefill === undefined ? rankName(picked) : `${rankName(prefill)} → ${rankName(picked)}`;
}

/** @param {HTMLElement} cell @param {PickSummary} pick */
function drawHeld(cell, { promptBlocks, heldBlocks }) {
  if (promptBlocks === undefined || heldBlocks === undefined || promptBlocks === 0) {
    cell.textContent = promptBlocks === undefined ? "tokens not known" : unknown;
    return;
  }
  const share = heldBlocks / promptBlocks;
  drawBar(
    cell,
    [{ kind: "device", share }],
    `${count(heldBlocks)} of ${count(promptBlocks)} (${percent(share)})`,
    "long",
  );
}

/** @param {PickSummary} pick */
function heldShare({ promptBlocks, heldBlocks }) {
  return promptBlocks ? (heldBlocks ?? 0) / promptBlocks : -1;
}
