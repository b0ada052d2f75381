import { drawBadge } from "./badge.js";
import { element } from "./elements.js";
import { count, duration, unknown } from "./format.js";
import { PagedList } from "./paged-list.js";
import { rankRows } from "./ranks.js";
import { eventsCondition } from "./worker-words.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { ConsoleKvEvents } from "../console-workers.ts"
 * @import { Column } from "./live-table.js"
 * @import { Openers } from "./openers.js"
 * @import { RankRow } from "./ranks.js"
 */

/** @type {readonly Column<RankRow>[]} */
const columns = [
  { label: "Worker", kind: "name", text: ({ name }) => name, order: ({ name }) => name },
  {
    label: "State",
    draw: (cell, { rank }) => drawBadge(cell, eventsCondition(rank.kvEvents)),
    order: ({ rank }) => eventsCondition(rank.kvEvents).text,
  },
  {
    label: "Last batch",
    kind: "number",
    text: lastBatch,
    order: ({ rank }) => rank.kvEvents?.lastEventAgeMs ?? Number.MAX_VALUE,
  },
  {
    label: "Lag",
    kind: "number",
    text: ({ rank }) => duration(rank.kvEvents?.lagMs),
    order: ({ rank }) => rank.kvEvents?.lagMs ?? -1,
  },
  { label: "Applied", kind: "number", ...counted(({ applied }) => applied) },
  { label: "Left out", kind: "number", ...counted(droppedOf) },
  { label: "Gaps", kind: "number", ...counted(({ gaps }) => gaps) },
  { label: "Replays", kind: "number", ...counted(({ replays }) => replays) },
  { label: "Resets", kind: "number", ...counted(({ resets }) => resets) },
];

/** How well each rank's cache is known. @param {Openers} openers */
export function createKvEvents({ openRank }) {
  const list = new PagedList({
    noun: "ranks",
    empty: "No workers yet.",
    table: { caption: "KV events of each rank", columns, keyOf: ({ key }) => key, open: openRank },
    textOf: ({ name, worker, rank }) => [name, worker.endpoint, rank.kvEvents?.endpoint].join(" "),
    choices: { All: () => true, "Need a look": needsLook },
  });
  const intro = element(
    "p",
    { class: "muted" },
    "Workers tell by KV events what enters and leaves their caches. Of those that publish none it is guessed from what was sent to them.",
  );
  return {
    root: element("section", { class: "card" }, element("h3", {}, "KV events"), intro, list.root),
    /** @param {ConsoleState} state */
    update: (state) => list.update(rankRows(state)),
  };
}

/** @param {(events: ConsoleKvEvents) => number} countOf @returns {Pick<Column<RankRow>, "text" | "order">} */
function counted(countOf) {
  return {
    text: ({ rank: { kvEvents } }) => (kvEvents === undefined ? unknown : count(countOf(kvEvents))),
    order: ({ rank: { kvEvents } }) => (kvEvents === undefined ? -1 : countOf(kvEvents)),
  };
}

/** @param {ConsoleKvEvents} events */
function droppedOf({ dropped }) {
  return Object.values(dropped).reduce((sum, amount) => sum + amount, 0);
}

/** @param {RankRow} row */
function lastBatch({ rank: { kvEvents } }) {
  if (kvEvents === undefined) return unknown;
  return kvEvents.lastEventAgeMs === undefined ? "never" : `${duration(kvEvents.lastEventAgeMs)} ago`;
}

/** @param {RankRow} row */
function needsLook({ rank: { kvEvents } }) {
  if (kvEvents === undefined) return false;
  return (
    kvEvents.state === "problem" || kvEvents.state === "connecting" || kvEvents.resets > 0 || droppedOf(kvEvents) > 0
  );
}
