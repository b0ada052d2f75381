import { legend } from "./bar.js";
import { element } from "./elements.js";
import { noWorkers } from "./overview.js";
import { PagedList } from "./paged-list.js";
import { fullColumns, rankLegend } from "./rank-columns.js";
import { rankRows, scalesOf } from "./ranks.js";
import { eventsCondition, workerCondition } from "./worker-words.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { Openers } from "./openers.js"
 * @import { RankRow } from "./ranks.js"
 */

/** Every rank of every worker. @param {Openers} openers */
export function createFleet({ openRank }) {
  let scales = scalesOf([]);
  const list = new PagedList({
    noun: "ranks",
    empty: noWorkers,
    table: {
      caption: "Workers and their ranks",
      columns: fullColumns(() => scales),
      keyOf: ({ key }) => key,
      open: openRank,
    },
    textOf: ({ worker, name }) => [name, worker.endpoint, worker.role, worker.id, ...worker.models].join(" "),
    choices: { All: () => true, "Need a look": needsLook, "Take requests": ({ worker }) => worker.isEligible },
  });
  return {
    root: element("section", { class: "card" }, element("h3", {}, "Fleet"), list.root, legend(rankLegend)),
    /** @param {ConsoleState} state */
    update: (state) => {
      const rows = rankRows(state);
      scales = scalesOf(rows);
      list.update(rows);
    },
  };
}

/** @param {RankRow} row */
function needsLook({ worker, rank }) {
  const severities = [workerCondition(worker), eventsCondition(rank.kvEvents)].map(({ severity }) => severity);
  return worker.isDraining || severities.some((severity) => severity === "bad" || severity === "warn");
}
