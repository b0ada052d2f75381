import { Worker } from "node:worker_threads";

/** Files of this folder that run as threads. */
export type ThreadFile = "prompt-thread" | "model-thread";

/** Starts a thread; its file is compiled where this one is. */
export function startThread(file: ThreadFile, workerData: unknown): Worker {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  return new Worker(new URL(`./${file}${extension}`, import.meta.url), { name: file, workerData });
}
