import { count, duration, quantity } from "./format.js";

/**
 * @import { ConsoleState } from "../console-state.ts"
 * @import { ConsoleWorker } from "../console-workers.ts"
 * @import { Severity } from "./worker-words.js"
 */

/** @typedef {{ severity: Severity, text: string }} Finding */

/** A sibling that is silent for longer is told of. */
const silentSiblingMs = 5_000;

/** What the reader should look at, the worst first. @param {ConsoleState} state @returns {Finding[]} */
export function findingsOf(state) {
  const findings = [
    ...state.ready.reasons.map((reason) => bad(`Not ready: ${reason}`)),
    ...state.workers.flatMap(ofWorker),
    ...ofModels(state),
    ...ofReplicas(state),
    ...ofShards(state),
    ...ofWaiting(state),
  ];
  const order = ["bad", "warn", "note", "good"];
  return findings.toSorted((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** @param {ConsoleWorker} worker */
function ofWorker({ name, health, isDraining, problems, ranks }) {
  const findings = problems.map(({ message }) => warn(`${name}: ${message}`));
  if (health === "unhealthy") findings.push(bad(`${name}: its health check fails; it gets no requests`));
  if (isDraining) findings.push(note(`${name}: draining`));
  for (const { kvEvents } of ranks) {
    for (const { message } of kvEvents?.problems ?? []) findings.push(bad(`${name}: ${message}`));
    if (kvEvents?.state === "connecting")
      findings.push(warn(`${name}: its KV events cannot be reached at ${kvEvents.endpoint}`));
  }
  return findings;
}

/** @param {ConsoleState} state */
function ofModels({ models }) {
  return models.flatMap(({ name, tokens, loadReason, index }) => [
    ...(tokens === "loading"
      ? [note(`Model ${name} is being loaded; until then its requests are placed by load`)]
      : []),
    ...(tokens === "load" && loadReason !== undefined ? [note(`Model ${name} is placed by load: ${loadReason}`)] : []),
    ...(index.evictedBlocks > 0
      ? [warn(`Model ${name}: its index was full and forgot ${quantity(index.evictedBlocks, "block")}`)]
      : []),
  ]);
}

/** @param {ConsoleState} state */
function ofReplicas({ replicas, queueFront }) {
  const findings = [];
  if (replicas?.isConnected === false)
    findings.push(bad("The store that replicas share is not connected: their load is not known"));
  if (replicas?.isNameShared) findings.push(bad(`Another replica is called ${replicas.name}, too`));
  for (const { name, heardAgoMs } of replicas?.siblings ?? []) {
    if (heardAgoMs > silentSiblingMs) findings.push(warn(`Replica ${name} was last heard ${duration(heardAgoMs)} ago`));
  }
  if (queueFront?.isConnected === false) findings.push(bad("The queues' store is not connected"));
  return findings;
}

/** @param {ConsoleState} state */
function ofShards({ shards }) {
  return (shards ?? []).flatMap(({ shard, isReady, isTold, restarts }) => [
    ...(isReady ? [] : [bad(`Shard ${shard} is not ready`)]),
    ...(isTold ? [] : [warn(`Shard ${shard} did not answer: its figures are missing here`)]),
    ...(restarts > 0 ? [warn(`Shard ${shard} was started again (${quantity(restarts, "time")})`)] : []),
  ]);
}

/** @param {ConsoleState} state */
function ofWaiting({ admission, workersLeftOut }) {
  return [
    ...(admission !== undefined && admission.waiting > 0
      ? [
          warn(
            `${quantity(admission.waiting, "request")} wait for a worker that is less busy (at most ${count(admission.maxWaiting)} may)`,
          ),
        ]
      : []),
    ...(workersLeftOut > 0
      ? [note(`${quantity(workersLeftOut, "more worker")} are there and not listed (admin.maxRanks)`)]
      : []),
  ];
}

/** @param {string} text @returns {Finding} */
function bad(text) {
  return { severity: "bad", text };
}

/** @param {string} text @returns {Finding} */
function warn(text) {
  return { severity: "warn", text };
}

/** @param {string} text @returns {Finding} */
function note(text) {
  return { severity: "note", text };
}
