import { Sheet } from "./dialog.js";
import { element } from "./elements.js";
import { factList } from "./facts.js";
import { count, duration, percent, unknown } from "./format.js";
import { eventsCondition, roleWords, workerCondition } from "./worker-words.js";

/**
 * @import { ConsoleKvEvents, ConsoleLoad, ConsoleRank } from "../console-workers.ts"
 * @import { RankRow } from "./ranks.js"
 */

/** @typedef {readonly (readonly [name: string, value: string])[]} Facts */

/** Shows all that is known of one rank, as it was when it was opened. */
export class RankSheet {
  /** @param {() => void} closed */
  constructor(closed) {
    this.sheet = new Sheet("rank", closed);
  }

  /**
   * @param {RankRow} row
   * @param {HTMLElement | undefined} opener
   */
  open(row, opener) {
    const { worker, rank, name } = row;
    const problems = [...worker.problems, ...(rank.kvEvents?.problems ?? [])].map(({ message }) =>
      element("li", {}, message),
    );
    const list = problems.length === 0 ? [] : [element("ul", { class: "findings" }, ...problems)];
    this.sheet.show(
      opener,
      name,
      `${worker.endpoint}, ${workerCondition(worker).text.toLowerCase()}`,
      ...list,
      part("Worker", [
        ["Id", worker.id],
        ["Role", roleWords[worker.role]],
        ["Models", worker.models.length === 0 ? "all" : worker.models.join(", ")],
        ["Requests so far", count(rank.requestsTotal)],
      ]),
      loadPart(rank),
      part("Cache", cacheFacts(rank)),
      part("KV events", eventFacts(rank.kvEvents)),
      part("Its engine says", engineFacts(rank)),
    );
  }
}

/** @param {string} heading @param {Facts} facts */
function part(heading, facts) {
  return element("section", {}, element("h3", {}, heading), factList(facts));
}

/** @param {ConsoleRank} rank */
function loadPart({ booked, siblings, foreign }) {
  const heads = ["Load", "Requests", "To prefill, tokens", "In use, blocks"];
  const head = heads.map((label, i) => element("th", { scope: "col", class: i > 0 && "number" }, label));
  const rows = [
    loadRow("Booked by this picker", booked),
    ...(siblings === undefined ? [] : [loadRow("Booked by other replicas", siblings)]),
    ...(foreign === undefined ? [] : [loadRow("Seen by the engine beyond that", foreign)]),
  ];
  const table = element(
    "table",
    { class: "plain" },
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
  return element("section", {}, element("h3", {}, "Load"), element("div", { class: "table-box" }, table));
}

/** @param {string} name @param {ConsoleLoad} load */
function loadRow(name, { requests, prefillTokens, decodeBlocks }) {
  const cells = [requests, prefillTokens, decodeBlocks].map((value) =>
    element("td", { class: "number" }, count(value)),
  );
  return element("tr", {}, element("th", { scope: "row" }, name), ...cells);
}

/** @param {ConsoleRank} rank @returns {Facts} */
function cacheFacts({ heldBlocks: { total, device, host, disk, external }, guessedBlocks, totalKvBlocks }) {
  const room = totalKvBlocks === undefined ? "" : ` of ${count(totalKvBlocks)} (${percent(device / totalKvBlocks)})`;
  return [
    ["Blocks held", count(total)],
    ["On the device", `${count(device)}${room}`],
    ["In host memory", count(host)],
    ["On disk", count(disk)],
    ["In shared storage", count(external)],
    ["Guessed", count(guessedBlocks)],
  ];
}

/** @param {ConsoleKvEvents | undefined} events @returns {Facts} */
function eventFacts(events) {
  if (events === undefined) return [["State", "it publishes none; what it holds is guessed from what was sent to it"]];
  const dropped = Object.entries(events.dropped).map(
    ([reason, amount]) => `${count(amount)} ${reason.replaceAll("_", " ")}`,
  );
  return [
    ["State", eventsCondition(events).text],
    ["Endpoint", events.endpoint],
    [
      "Last batch",
      events.lastSequence === undefined
        ? "none yet"
        : `number ${events.lastSequence}, ${duration(events.lastEventAgeMs)} ago`,
    ],
    ["Lag", duration(events.lagMs)],
    ["Applied", count(events.applied)],
    ["Left out", dropped.length === 0 ? "none" : dropped.join(", ")],
    ["Gaps, replays, resets", [events.gaps, events.replays, events.resets].map(count).join(", ")],
  ];
}

/** @param {ConsoleRank} rank @returns {Facts} */
function engineFacts({ engine }) {
  if (engine === undefined) return [["Metrics", "not read (fleet.engineMetrics)"]];
  const { runningRequests, waitingRequests, kvUsage, ageMs } = engine;
  return [
    ["Running", runningRequests === undefined ? unknown : count(runningRequests)],
    ["Waiting", waitingRequests === undefined ? unknown : count(waitingRequests)],
    ["KV blocks in use", percent(kvUsage)],
    ["Read", `${duration(ageMs)} ago`],
  ];
}
