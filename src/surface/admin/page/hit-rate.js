import { LineChart } from "./chart.js";
import { element, fill, setText } from "./elements.js";
import { count, duration, minuteTime, percent, quantity } from "./format.js";
import { hitShare, movingHitShare, stretchesOf } from "./history.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { Stretch } from "./history.js"
 */

const mostPoints = 180;
const mostRows = 30;
/** A point of the hit rate is of this part of the whole time. */
const windowsInSpan = 30;

/** Hit rate and picks over time, as lines and, for those who would rather read, as a table. */
export function createHitRate() {
  const hits = new LineChart({ id: "hits", title: "Hit rate over time", format: percent, top: 1 });
  const picks = new LineChart({
    id: "picks-chart",
    title: "Picks a second over time",
    format: (value) => String(value),
    kind: "second",
  });
  const table = createTable();
  const intro = element("p", { class: "muted" });
  const root = element(
    "div",
    { class: "charts" },
    card("Hit rate", intro, hits.root, table.root),
    card("Picks a second", element("p", { class: "muted" }, "Requests placed, on all workers."), picks.root),
  );
  return {
    root,
    /** @param {ConsoleState} state */
    update: ({ history, nowAtMs }) => {
      const stretches = stretchesOf(history, mostPoints);
      const span = quantity(Math.round(history.spanMs / 60_000), "minute");
      const windowMs = Math.max(history.intervalMs, history.spanMs / windowsInSpan);
      setText(
        intro,
        `Blocks of prompts that the picked worker held already; each point is of the ${duration(windowMs)} before it.`,
      );
      const points = movingHitShare(stretches, windowMs);
      const shares = points.map(({ value }) => value);
      hits.update(points, nowAtMs, history.spanMs, describe(shares, span));
      const rates = stretches.map(({ atMs, lengthMs, picks: amount }) => ({
        atMs,
        value: amount / (lengthMs / 1_000),
      }));
      const highest = Math.max(0, ...rates.map(({ value }) => value));
      picks.update(rates, nowAtMs, history.spanMs, `At most ${highest.toFixed(1)} a second in the last ${span}.`);
      table.update(stretchesOf(history, mostRows));
    },
  };
}

/** @param {string} heading @param {...Node} content */
function card(heading, ...content) {
  return element("section", { class: "card" }, element("h3", {}, heading), ...content);
}

/** @param {readonly (number | undefined)[]} shares @param {string} span */
function describe(shares, span) {
  const measured = shares.filter((share) => share !== undefined);
  if (measured.length === 0) return `No prompt was placed in the last ${span}.`;
  const ends = `Between ${percent(Math.min(...measured))} and ${percent(Math.max(...measured))} in the last ${span}`;
  return `${ends}, ${percent(measured.at(-1))} at the end.`;
}

/** Filled only while it is open. */
function createTable() {
  /** @type {readonly Stretch[]} */
  let latest = [];
  const body = element("tbody");
  const heads = ["Until", "Hit rate", "Held blocks", "Prompt blocks", "Picks", "Refusals"];
  const head = element(
    "tr",
    {},
    ...heads.map((label, i) => element("th", { scope: "col", class: i > 0 && "number" }, label)),
  );
  const caption = element("caption", { class: "unseen" }, "Hit rate over time");
  const table = element("table", { class: "plain" }, caption, element("thead", {}, head), body);
  const root = element(
    "details",
    {},
    element("summary", {}, "As a table"),
    element("div", { class: "table-box" }, table),
  );
  const show = () => {
    if (root.open) fill(body, ...latest.toReversed().map(row));
  };
  root.addEventListener("toggle", show);
  return {
    root,
    /** @param {readonly Stretch[]} stretches */
    update: (stretches) => {
      latest = stretches;
      show();
    },
  };
}

/** @param {Stretch} stretch */
function row(stretch) {
  const { atMs, heldBlocks, promptBlocks, picks, refusals } = stretch;
  const cells = [percent(hitShare(stretch)), count(heldBlocks), count(promptBlocks), count(picks), count(refusals)];
  const numbers = cells.map((text) => element("td", { class: "number" }, text));
  return element("tr", {}, element("th", { scope: "row" }, minuteTime(atMs)), ...numbers);
}
