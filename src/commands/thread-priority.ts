import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/**
 * Lets the other threads of this process, above all the one that picks, have a core before the calling thread. Only Linux knows priorities of
 * threads; elsewhere, or where it is refused, nothing changes.
 * @param niceness as `nice` counts it, 0 to 19; a thread that already yields more keeps what it has
 */
export function yieldToOtherThreads(niceness: number): void {
  if (niceness === 0) return;
  try {
    // Linux takes the id of a thread where POSIX has a process's.
    const thread = Number(basename(readlinkSync("/proc/thread-self")));
    if (getPriority(thread) < niceness) setPriority(thread, niceness);
  } catch {
    // No /proc, or a sandbox that forbids it: the thread keeps its priority.
  }
}
