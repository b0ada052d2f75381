/**
 * Loaded with `node --expose-gc --import` into the processes of a soak and their threads, and into nothing else. On SIGUSR2 the process and its
 * threads collect all their garbage, and the process tells on stderr, in one line, what is left. With SOAK_SNAPSHOTS, a folder, it writes a heap
 * snapshot there as well.
 */
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { getHeapStatistics, writeHeapSnapshot } from "node:v8";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";
import { memoryLineStart } from "./memory-line.ts";

/** Between a process and its threads: "here" and "tell" one way, numbers the other. */
const channel = new BroadcastChannel("soak-memory");
channel.unref();
/** What each thread has left, in bytes, as far as it has said so; by its number. */
const threads = new Map<number, number | undefined>();
const folder = process.env["SOAK_SNAPSHOTS"] || undefined;
let snapshots = 0;

/** What finalizers of the first collection let go is found by the second. */
async function collect(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.();
    await turn();
  }
}

/** A thread that is busy does not answer; it is not waited for longer than three seconds. */
async function heapOfThreads(): Promise<number> {
  for (const thread of threads.keys()) threads.set(thread, undefined);
  channel.postMessage("tell");
  for (let looks = 0; looks < 30 && [...threads.values()].includes(undefined); looks++) await delay(100);
  return [...threads.values()].reduce<number>((sum, bytes = 0) => sum + bytes, 0);
}

async function tell(): Promise<void> {
  await collect();
  const threadHeaps = threads.size === 0 ? 0 : await heapOfThreads();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  if (folder !== undefined) writeHeapSnapshot(`${folder}/${process.pid}-${snapshots++}.heapsnapshot`);
  const line = JSON.stringify({ pid: process.pid, heapUsed, external, arrayBuffers, threadHeaps, handles });
  process.stderr.write(`${memoryLineStart}${line}\n`);
}

if (isMainThread) {
  channel.onmessage = ({ data }) => {
    const { thread, bytes } = data as { readonly thread?: number; readonly bytes?: number };
    if (thread !== undefined) threads.set(thread, bytes);
  };
  process.on("SIGUSR2", () => void tell());
} else {
  channel.onmessage = ({ data }) => {
    if (data === "tell") {
      void collect().then(() => channel.postMessage({ thread: threadId, bytes: getHeapStatistics().used_heap_size }));
    }
  };
  channel.postMessage({ thread: threadId });
}
