import { setFlagsFromString } from "node:v8";

/**
 * Flags of V8. Without the first, each 64 MB of array buffers begin a full collection, which is every hundredth pick of a 256 KB body, however
 * little there is to collect; with it they count as memory like any other. The second bounds what is waiting for collection to half of what is in
 * use: without it, it may be three times as much (bench/ext-proc).
 */
export const collectorFlags = ["--external-memory-accounted-in-global-limit", "--heap-growing-percent=50"] as const;

/** Has the garbage collector of this process and its threads go by what is in use. */
export function setCollectorPolicy(): void {
  for (const flag of collectorFlags) setFlagsFromString(flag);
}
