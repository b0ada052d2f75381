/**
 * @import { ConsoleModel } from "../console-state.ts"
 * @import { ConsoleKvEvents, ConsoleWorker } from "../console-workers.ts"
 */

/** How bad something is; also the class that colours it. @typedef {"good" | "note" | "warn" | "bad"} Severity */

/** @param {ConsoleWorker} worker @returns {{ severity: Severity, text: string }} */
export function workerCondition({ health, isDraining, problems }) {
  if (health === "unhealthy") return { severity: "bad", text: "Unhealthy" };
  if (isDraining) return { severity: "note", text: "Draining" };
  if (problems.length > 0) return { severity: "warn", text: "Up, with a problem" };
  return health === "healthy" ? { severity: "good", text: "Up" } : { severity: "note", text: "Not checked" };
}

/** @param {ConsoleKvEvents | undefined} events @returns {{ severity: Severity, text: string }} */
export function eventsCondition(events) {
  switch (events?.state) {
    case "live":
      return { severity: "good", text: "Live" };
    case "quiet":
      return { severity: "note", text: "Connected, none yet" };
    case "connecting":
      return { severity: "warn", text: "Not connected" };
    case "problem":
      return { severity: "bad", text: "Problem" };
    default:
      return { severity: "note", text: "None published" };
  }
}

/** @param {ConsoleModel} model @returns {{ severity: Severity, text: string }} */
export function modelCondition({ tokens }) {
  if (tokens === "exact") return { severity: "good", text: "Exact tokens" };
  return tokens === "load" ? { severity: "note", text: "By load" } : { severity: "note", text: "Loading" };
}

/** @type {Readonly<Record<ConsoleWorker["role"], string>>} */
export const roleWords = { aggregated: "Prefill and decode", prefill: "Prefill", decode: "Decode", encode: "Encode" };
