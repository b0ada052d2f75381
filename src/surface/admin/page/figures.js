import { element, setText } from "./elements.js";
import { count, percent, quantity, rate, unknown } from "./format.js";
import { rankRows } from "./ranks.js";

/** @import { ConsoleState } from "../console-state.ts" */

/** @typedef {{ label: string, value: (state: ConsoleState) => string, note: (state: ConsoleState) => string }} Figure */

/** @type {readonly Figure[]} */
const figures = [
  {
    label: "Hit rate",
    value: ({ history }) => percent(history.latest.hitRatio),
    note: ({ totals }) =>
      totals.promptBlocks === 0
        ? "no prompt yet"
        : `${percent(totals.heldBlocks / totals.promptBlocks)} since the start`,
  },
  {
    label: "Picks",
    value: ({ history }) => rate(history.latest.picksPerSecond),
    note: ({ totals }) => `${count(totals.picks)} since the start`,
  },
  {
    label: "Refusals",
    value: ({ history }) => rate(history.latest.refusalsPerSecond),
    note: ({ totals }) => `${count(totals.refusals)} since the start`,
  },
  {
    label: "Workers up",
    value: ({ workers }) =>
      `${count(workers.filter(({ isEligible }) => isEligible).length)} of ${count(workers.length)}`,
    note: ({ workers }) =>
      quantity(
        workers.reduce((sum, { ranks }) => sum + ranks.length, 0),
        "rank",
      ),
  },
  {
    label: "Requests running",
    value: (state) => count(rankRows(state).reduce((sum, { load }) => sum + load.requests, 0)),
    note: (state) =>
      `${count(state.workers.flatMap(({ ranks }) => ranks).reduce((sum, { booked }) => sum + booked.requests, 0))} booked here`,
  },
  {
    label: "Waiting",
    value: ({ admission }) => (admission === undefined ? unknown : count(admission.waiting)),
    note: ({ admission }) => (admission === undefined ? "admission is off" : `at most ${count(admission.maxWaiting)}`),
  },
];

/** The few figures that tell how things are. */
export function createFigures() {
  const cards = figures.map(({ label, value, note }) => {
    const shown = element("dd", { class: "value" });
    const below = element("dd", { class: "note" });
    const root = element("div", { class: "figure-card" }, element("dt", {}, label), shown, below);
    /** @param {ConsoleState} state */
    const update = (state) => {
      setText(shown, value(state));
      setText(below, note(state));
    };
    return { root, update };
  });
  return {
    root: element("dl", { class: "figures" }, ...cards.map(({ root }) => root)),
    /** @param {ConsoleState} state */
    update: (state) => {
      for (const card of cards) card.update(state);
    },
  };
}
