import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import { AdmissionQueue, type BusyThresholds, isLimiting, type WaitEnd } from "../load/index.ts";
import { Objectives } from "../router/index.ts";
import type { Core } from "./assemble.ts";

/** The priorities of the settings; others may be discovered. */
export function objectivesOf({ admission }: Config): Objectives {
  return new Objectives(new Map(admission.objectives.map(({ name, priority }) => [name, priority])));
}

/** From when on a rank is too busy. */
export function busyThresholds({ admission }: Config): BusyThresholds {
  const { maxPrefillTokens, maxKvUsage, maxRequests } = admission;
  return { maxPrefillTokens, maxKvUsage, maxRequests };
}

/** The queue of requests that wait for a worker, looking again whenever load falls or the fleet changes; undefined = admission is off. */
export function admissionQueue(
  config: Config,
  { catalogue, loads, siblings }: Pick<Core, "catalogue" | "loads" | "siblings">,
  waited: (end: WaitEnd, waitedMs: number) => void = () => undefined,
): AdmissionQueue | undefined {
  if (!isLimiting(busyThresholds(config))) return undefined;
  const queue = new AdmissionQueue(config.admission, { now: () => performance.now(), after, waited });
  loads.onLoadFell(() => queue.loadFell());
  siblings.onLoadFell(() => queue.loadFell());
  catalogue.subscribe({ onAdded: () => queue.loadFell(), onUpdated: () => queue.loadFell() });
  return queue;
}

function after(delayMs: number, task: () => void): () => void {
  const timer = setTimeout(task, delayMs).unref();
  return () => clearTimeout(timer);
}
