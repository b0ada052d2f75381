import { setText } from "./elements.js";

/** @import { Severity } from "./worker-words.js" */

/**
 * Makes a cell's content a coloured word; the word alone says it.
 * @param {HTMLElement} cell
 * @param {{ severity: Severity, text: string }} condition
 */
export function drawBadge(cell, { severity, text }) {
  cell.className = `badge ${severity}`;
  setText(cell, text);
}
