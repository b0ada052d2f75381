/**
 * Loaded with `node --expose-gc --import` into the processes of a soak, and into nothing else. On SIGUSR2 the process collects all its garbage
 * and tells on stderr, in one line, what is left. With SOAK_SNAPSHOTS, a folder, it writes a heap snapshot there as well.
 */
import { setImmediate as turn } from "node:timers/promises";
import { writeHeapSnapshot } from "node:v8";
import { isMainThread } from "node:worker_threads";
import { memoryLineStart } from "./memory-line.ts";

const folder = process.env["SOAK_SNAPSHOTS"];
let snapshots = 0;

async function tell(): Promise<void> {
  // What finalizers of the first collection let go is found by the second.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await turn();
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  if (folder !== undefined) writeHeapSnapshot(`${folder}/${process.pid}-${snapshots++}.heapsnapshot`);
  const line = JSON.stringify({ pid: process.pid, heapUsed, external, arrayBuffers, handles });
  process.stderr.write(`${memoryLineStart}${line}\n`);
}

if (isMainThread) process.on("SIGUSR2", () => void tell());
