import type * as workerModule from "./sim-worker.ts";

type Start = typeof workerModule.startSimWorker;

/**
 * Starts a worker that pretends to be a vLLM server: real HTTP, a real prefix cache, KV events on ZMQ, invented text
 * and time. Rejects with RangeError on a bad option, and with ListenError when a port is taken.
 * What it takes is loaded here, and nowhere else: who wants its flags alone does not know it.
 */
export async function startSimWorker(...parts: Parameters<Start>): ReturnType<Start> {
  const worker = await import("./sim-worker.ts");
  return await worker.startSimWorker(...parts);
}
