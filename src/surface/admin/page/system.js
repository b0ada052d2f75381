import { drawBadge } from "./badge.js";
import { element, fill, setText } from "./elements.js";
import { factList } from "./facts.js";
import { clockTime, count, duration, listed, percent, quantity, shortCount, unknown } from "./format.js";
import { LiveTable } from "./live-table.js";

/**
 * @import { ConsoleShard, ConsoleSibling, ConsoleState } from "../console-state.ts"
 * @import { Column } from "./live-table.js"
 */

/** @type {readonly Column<ConsoleSibling>[]} */
const siblingColumns = [
  { label: "Replica", kind: "name", text: ({ name }) => name },
  {
    label: "Last heard",
    kind: "number",
    text: ({ heardAgoMs }) => `${duration(heardAgoMs)} ago`,
  },
  { label: "Requests", kind: "number", text: ({ requests }) => count(requests) },
  { label: "Ranks it has booked on", kind: "number", text: ({ ranks }) => count(ranks) },
  { label: "Messages lost", kind: "number", text: ({ missed }) => count(missed) },
];

/** @type {readonly Column<ConsoleShard>[]} */
const shardColumns = [
  { label: "Shard", text: ({ shard }) => String(shard) },
  { label: "State", draw: (cell, shard) => drawBadge(cell, shardCondition(shard)) },
  { label: "Requests", kind: "number", text: ({ requests }) => count(requests) },
  { label: "Picks", kind: "number", text: ({ totals }) => count(totals?.picks) },
  { label: "Refusals", kind: "number", text: ({ totals }) => count(totals?.refusals) },
  {
    label: "Hit rate",
    kind: "number",
    text: ({ totals }) => (totals?.promptBlocks ? percent(totals.heldBlocks / totals.promptBlocks) : unknown),
  },
  { label: "Starts again", kind: "number", text: ({ restarts }) => count(restarts) },
];

/** The picker itself: replicas, who waits, shards. */
export function createSystem() {
  const siblings = new LiveTable({ caption: "Other replicas", columns: siblingColumns, keyOf: ({ id }) => id });
  const shards = new LiveTable({ caption: "Shards", columns: shardColumns, keyOf: ({ shard }) => String(shard) });
  const picker = part("This picker");
  const replicas = part("Replicas", siblings.root);
  const waiting = part("Admission queue");
  const processes = part("Shards", shards.root);
  const front = part("Queue front");
  const recovery = part("Recovery of the index");
  const off = element("p", { class: "muted" });
  const parts = [picker, replicas, waiting, processes, front, recovery].map(({ root }) => root);
  return {
    root: element("div", {}, element("div", { class: "parts" }, ...parts), off),
    /** @param {ConsoleState} state */
    update: (state) => {
      picker.show(pickerFacts(state));
      replicas.show(replicaFacts(state));
      siblings.update(state.replicas?.siblings ?? []);
      siblings.root.hidden = !state.replicas?.siblings.length;
      waiting.show(admissionFacts(state));
      processes.show(shardFacts(state));
      shards.update(state.shards ?? []);
      front.show(frontFacts(state));
      recovery.show(recoveryFacts(state));
      setText(off, offText(state));
    },
  };
}

/** What there is no card for. @param {ConsoleState} state */
function offText({ replicas, admission, shards, queueFront, recovery }) {
  const names = [
    replicas === undefined ? "sharing load with replicas" : "",
    admission === undefined ? "admission (nobody waits)" : "",
    shards === undefined ? "shards" : "",
    queueFront === undefined ? "the queue front" : "",
    recovery === undefined ? "recovery of the index from a peer" : "",
  ].filter((name) => name !== "");
  return names.length === 0 ? "" : `Not in use here: ${listed(names)}.`;
}

/** @param {string} heading @param {...Node} content */
function part(heading, ...content) {
  const facts = element("div");
  const root = element("section", { class: "card" }, element("h3", {}, heading), facts, ...content);
  let shown = "";
  return {
    root,
    /** @param {readonly (readonly [string, string])[]} entries none = there is nothing to show */
    show: (entries) => {
      root.hidden = entries.length === 0;
      const now = JSON.stringify(entries);
      if (now === shown) return;
      shown = now;
      fill(facts, factList(entries));
    },
  };
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function pickerFacts({ version, modes, startedAtMs, nowAtMs, ready, totals, models }) {
  return [
    ["Version", version],
    ["Mode", modes.join(", ")],
    ["Ready", ready.isReady ? "yes" : `no: ${ready.reasons.join("; ")}`],
    ["Up", `${duration(nowAtMs - startedAtMs)}, since ${clockTime(startedAtMs)}`],
    ["Picks", `${count(totals.picks)}, and ${quantity(totals.refusals, "refusal")}`],
    ["Refusals", "the latest, and why, are in the tab Picks; by code they are in the metrics"],
    ["Blocks in the index", shortCount(models.reduce((sum, { index }) => sum + index.blocks, 0))],
  ];
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function replicaFacts({ replicas }) {
  if (replicas === undefined) return [];
  return [
    ["This replica", replicas.isNameShared ? `${replicas.name}, a name that another one has, too` : replicas.name],
    ["Store", replicas.isConnected ? "connected" : "not connected: the others' load is not known"],
    ["Others heard", count(replicas.siblings.length)],
  ];
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function admissionFacts({ admission }) {
  if (admission === undefined) return [];
  return [
    ["Waiting", count(admission.waiting)],
    ["At most", count(admission.maxWaiting)],
  ];
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function shardFacts({ shards }) {
  if (shards === undefined) return [];
  return [
    ["Processes", `${count(shards.length)}, ${count(shards.filter(({ isReady }) => isReady).length)} of them ready`],
  ];
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function frontFacts({ queueFront }) {
  if (queueFront === undefined) return [];
  return [
    ["Store", queueFront.isConnected ? "connected" : "not connected"],
    ["Requests under way", count(queueFront.running)],
    ["Waiting for results", count(queueFront.waiting)],
    ...queueFront.queues.map(({ name, depth }) => /** @type {const} */ ([`Queue ${name}`, count(depth)])),
  ];
}

/** @param {ConsoleState} state @returns {(readonly [string, string])[]} */
function recoveryFacts({ recovery }) {
  if (recovery === undefined) return [];
  return [
    ["State", recovery.state.replaceAll("_", " ")],
    ["Peer", recovery.peer ?? unknown],
    ["Blocks", count(recovery.blocks)],
    ["Took", duration(recovery.tookMs)],
  ];
}

/** @param {ConsoleShard} shard @returns {{ severity: "good" | "bad" | "warn", text: string }} */
function shardCondition({ isReady, isTold }) {
  if (!isTold) return { severity: "warn", text: "No answer" };
  return isReady ? { severity: "good", text: "Ready" } : { severity: "bad", text: "Not ready" };
}
