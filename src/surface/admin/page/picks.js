import { ask } from "./api-client.js";
import { element, setText } from "./elements.js";
import { quantity } from "./format.js";
import { PagedList } from "./paged-list.js";
import { fullPickColumns } from "./pick-columns.js";
import { createRefusals } from "./refusals.js";

/**
 * @import { PickList, PickSummary } from "../console-picks.ts"
 * @import { ConsoleState } from "../console-state.ts"
 * @import { Openers } from "./openers.js"
 */

/** The server forgets older ones, too (`decisions.maxDecisions`). */
const mostKept = 500;

/** The picks since the page was opened, and a search by request id. @param {Openers} openers */
export function createPicks({ openPick }) {
  /** By id, the newest first. @type {Map<string, PickSummary>} */
  let kept = new Map();
  let leftOut = 0;
  /** @type {number | undefined} */
  let startedAtMs;
  const note = element("p", { class: "muted" });
  const refusals = createRefusals(50);
  const list = new PagedList({
    noun: "picks",
    empty: "No picks yet.",
    more: createSearch((picks) => {
      take(picks);
      list.update([...kept.values()]);
    }),
    table: { caption: "Picks", columns: fullPickColumns, keyOf: ({ id }) => id, open: openPick },
    textOf: ({ picked, prefill, model, api, outcome, requestId }) =>
      [picked?.workerName, prefill?.workerName, model, api, outcome, requestId].join(" "),
    choices: {
      All: () => true,
      Picked: ({ outcome }) => outcome === "picked",
      Refused: ({ outcome }) => outcome !== "picked",
      "By load alone": ({ promptTokens }) => promptTokens === undefined,
    },
  });

  /** @param {readonly PickSummary[]} picks */
  const take = (picks) => {
    const all = [...new Map([...kept.values(), ...picks].map((pick) => [pick.id, pick])).values()];
    const newest = all.toSorted((a, b) => b.atMs - a.atMs || compareIds(b.id, a.id)).slice(0, mostKept);
    kept = new Map(newest.map((pick) => [pick.id, pick]));
  };
  /**
   * Takes a state's picks, whether they are shown or not. A process that was started anew counts its picks from 1 again, and knows nothing
   * of those before.
   * @param {ConsoleState} state
   */
  const follow = (state) => {
    if (state.startedAtMs !== startedAtMs) kept = new Map();
    startedAtMs = state.startedAtMs;
    take(state.picks);
  };
  return {
    root: element(
      "div",
      {},
      element("section", { class: "card" }, element("h3", {}, "Picks"), note, list.root),
      refusals.root,
    ),
    follow,
    /** @param {PickSummary} pick */
    add: (pick) => take([pick]),
    /** @param {number} count */
    addLeftOut: (count) => {
      leftOut += count;
    },
    /** @param {ConsoleState} state */
    update: (state) => {
      refusals.update(state);
      list.update([...kept.values()]);
      const missing = leftOut === 0 ? "" : ` ${quantity(leftOut, "more came", "more came")} too fast to be listed.`;
      setText(note, `Open one to see why this worker.${missing}`);
    },
  };
}

/** @param {string} a @param {string} b */
function compareIds(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

/** @param {(picks: readonly PickSummary[]) => void} found */
function createSearch(found) {
  const input = element("input", { type: "search", placeholder: "x-request-id", spellcheck: "false", maxlength: 128 });
  const outcome = element("p", { class: "muted", role: "status" });
  const label = element("label", {}, "Find by request id ", input);
  const form = element("form", { class: "find" }, label, element("button", { type: "submit" }, "Find"), outcome);
  const find = async () => {
    const id = input.value.trim();
    if (id === "") return;
    try {
      const response = await ask(`api/picks?requestId=${encodeURIComponent(id)}`, AbortSignal.timeout(10_000));
      /** @type {PickList} */
      const { picks } = await response.json();
      setText(
        outcome,
        picks.length === 0
          ? "No pick of this request is kept."
          : `${quantity(picks.length, "pick")} found; listed below.`,
      );
      found(picks);
    } catch {
      setText(outcome, "The server cannot be asked just now.");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void find();
  });
  return form;
}
