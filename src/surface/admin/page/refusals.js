import { drawBadge } from "./badge.js";
import { element, setText } from "./elements.js";
import { clockTime, unknown } from "./format.js";
import { LiveTable } from "./live-table.js";
import { refusalWords, surfaceWords, wordsFor } from "./words.js";

/**
 * @import { ConsoleRefusal, ConsoleState } from "../console-state.ts"
 * @import { Column } from "./live-table.js"
 */

/** @type {Column<ConsoleRefusal>[]} */
const columns = [
  { label: "Time", text: ({ atMs }) => clockTime(atMs) },
  { label: "Answer", draw: drawAnswer },
  { label: "Why", kind: "name", text: whyOf },
  { label: "Came by", text: ({ surface }) => wordsFor(surfaceWords, surface) },
  { label: "Request id", kind: "name", text: ({ requestId }) => requestId ?? unknown },
];

/** The requests that were refused last, and why; hidden where there are none. @param {number} most rows */
export function createRefusals(most) {
  const table = new LiveTable({ caption: "The latest refusals", columns, keyOf: ({ id }) => id });
  const intro = element("p", { class: "muted" });
  const root = element("section", { class: "card" }, element("h3", {}, "Latest refusals"), intro, table.root);
  return {
    root,
    /** @param {ConsoleState} state */
    update: ({ refusals, totals }) => {
      const shown = refusals.slice(0, most);
      table.update(shown);
      root.hidden = shown.length === 0;
      const rest = shown.length < totals.refusals ? ` The latest ${shown.length} of ${totals.refusals}.` : "";
      setText(intro, `Requests that were answered with an error of the picker's.${rest}`);
    },
  };
}

/** @param {HTMLElement} cell @param {ConsoleRefusal} refusal */
function drawAnswer(cell, { status, code }) {
  drawBadge(cell, { severity: status >= 500 ? "bad" : "warn", text: `${status} ${code.replaceAll("_", " ")}` });
}

/** What the client was told, where that is shown; else what its code means. @param {ConsoleRefusal} refusal */
function whyOf({ code, reason, field }) {
  const words = wordsFor(refusalWords, code);
  return reason ?? (field === undefined ? words : `${words} Field: ${field}`);
}
