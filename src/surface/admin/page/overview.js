import { findingsOf } from "./attention.js";
import { legend } from "./bar.js";
import { element, fill, setText } from "./elements.js";
import { quantity } from "./format.js";
import { createHitRate } from "./hit-rate.js";
import { LiveTable } from "./live-table.js";
import { briefPickColumns } from "./pick-columns.js";
import { briefColumns, rankLegend } from "./rank-columns.js";
import { rankRows, scalesOf } from "./ranks.js";
import { createRefusals } from "./refusals.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { Openers } from "./openers.js"
 */

const shownRanks = 8;
const shownPicks = 10;
const shownRefusals = 5;
const shownFindings = 6;

/** The first tab: what needs a look, hit rate, the busiest workers, the latest picks. @param {Openers} openers */
export function createOverview(openers) {
  const findings = createFindings();
  const hitRate = createHitRate();
  const busiest = createBusiest(openers);
  const picks = createLatestPicks(openers);
  const refusals = createRefusals(shownRefusals);
  return {
    root: element("div", {}, findings.root, hitRate.root, busiest.root, picks.root, refusals.root),
    /** @param {ConsoleState} state */
    update: (state) => {
      for (const part of [findings, hitRate, busiest, picks, refusals]) part.update(state);
    },
  };
}

function createFindings() {
  const list = element("ul", { class: "findings" });
  const root = element("section", { class: "card attention" }, element("h3", {}, "Needs a look"), list);
  let shown = "";
  return {
    root,
    /** @param {ConsoleState} state */
    update: (state) => {
      const findings = findingsOf(state);
      const now = JSON.stringify(findings);
      root.hidden = findings.length === 0;
      if (now === shown) return;
      shown = now;
      const more = findings.length - shownFindings;
      const items = findings
        .slice(0, shownFindings)
        .map(({ severity, text }) => element("li", { class: severity }, text));
      if (more > 0)
        items.push(element("li", { class: "note" }, `${quantity(more, "more thing")}; the other tabs show them`));
      fill(list, ...items);
    },
  };
}

/** @param {Openers} openers */
function createBusiest({ openRank }) {
  let scales = scalesOf([]);
  const table = new LiveTable({
    caption: "The busiest workers",
    columns: briefColumns(() => scales),
    keyOf: ({ key }) => key,
    open: openRank,
  });
  const intro = element("p", { class: "muted" });
  const heading = element("h3", {}, "Busiest workers");
  const root = element("section", { class: "card" }, heading, intro, table.root, legend(rankLegend));
  return {
    root,
    /** @param {ConsoleState} state */
    update: (state) => {
      const rows = rankRows(state);
      scales = scalesOf(rows);
      const busiest = rows.length > shownRanks ? rows.toSorted((a, b) => b.loadBlocks - a.loadBlocks) : rows;
      table.update(busiest.slice(0, shownRanks));
      table.root.hidden = rows.length === 0;
      const some = `${shownRanks} of ${quantity(rows.length, "rank")}; the tab Fleet has all of them.`;
      setText(heading, rows.length > shownRanks ? "Busiest workers" : "Workers");
      setText(intro, rows.length === 0 ? noWorkers : rows.length > shownRanks ? some : "Load and cache of each.");
    },
  };
}

/** What stands where there is no worker. */
export const noWorkers =
  "No workers yet: they come from the settings (workers), from Kubernetes, or register themselves at the route API.";

/** @param {Openers} openers */
function createLatestPicks({ openPick }) {
  const table = new LiveTable({
    caption: "The latest picks",
    columns: briefPickColumns,
    keyOf: ({ id }) => id,
    open: openPick,
  });
  const intro = element("p", { class: "muted" });
  return {
    root: element("section", { class: "card" }, element("h3", {}, "Latest picks"), intro, table.root),
    /** @param {ConsoleState} state */
    update: ({ picks }) => {
      table.update(picks.slice(0, shownPicks));
      table.root.hidden = picks.length === 0;
      setText(intro, picks.length === 0 ? "No picks yet." : "Open one to see why this worker.");
    },
  };
}
