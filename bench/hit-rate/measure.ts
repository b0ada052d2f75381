import {
  type SimWorker,
  type SimWorkerOptions,
  startSimWorker,
  type TokenizePrompt,
} from "../../src/sim-worker/index.ts";
import { envoyBinary } from "../../test/e2e/support/envoy-binary.ts";
import { Gateway } from "../../test/e2e/support/gateway.ts";
import { injectedModel } from "../../test/e2e/support/picker-settings.ts";
import {
  type ChooseOrigin,
  createWorkload,
  LoadClient,
  type LoadSummary,
  runWorkload,
  seededRandom,
  summarizeLoad,
} from "../../test/support/load/index.ts";
import { poolSize, sending, unlimitedBlocks, workerOptions, workload } from "./workload.ts";

/** Every request to a worker drawn by lot. */
export async function measureRandom(tokenize: TokenizePrompt, seed: number): Promise<LoadSummary> {
  const workers = await startWorkers(poolSize, { ...workerOptions, tokenize });
  const random = seededRandom(seed);
  return await measureOn(workers, () => originOf(workers[Math.floor(random() * workers.length)]), seed);
}

/** One worker whose cache is never full: no routing can do better on this workload. */
export async function measureCeiling(tokenize: TokenizePrompt, seed: number): Promise<LoadSummary> {
  const options: SimWorkerOptions = { ...workerOptions, tokenize, gpuBlocks: unlimitedBlocks, maxNumSeqs: 256 };
  const workers = await startWorkers(1, { ...options, timeScale: 0.1 });
  return await measureOn(workers, () => originOf(workers[0]), seed);
}

/** Through a real Envoy that asks the picker, with these `routing` settings. @param pace times what the engines take */
export async function measurePicker(
  tokenize: TokenizePrompt,
  seed: number,
  routing: object,
  pace = 1,
): Promise<LoadSummary> {
  const gateway = await Gateway.start({
    kind: { bodies: "full-duplex", hosts: "override-host" },
    launcher: envoyBinary,
    workers: poolSize,
    workerOptions: { ...workerOptions, tokenize, timeScale: pace },
    picker: { log: { level: "info" }, routing },
  });
  try {
    return await send(() => gateway.url, seed);
  } finally {
    await gateway.stop();
  }
}

/** Through any endpoint that is there already; its caches must be empty. */
export async function measureUrl(origin: string, seed: number): Promise<LoadSummary> {
  return await send(() => origin, seed);
}

async function measureOn(workers: readonly SimWorker[], origin: ChooseOrigin, seed: number): Promise<LoadSummary> {
  try {
    return await send(origin, seed);
  } finally {
    await Promise.all(workers.map((worker) => worker.close(0)));
  }
}

async function send(origin: ChooseOrigin, seed: number): Promise<LoadSummary> {
  const client = new LoadClient(origin);
  try {
    const results = await runWorkload(createWorkload({ ...workload, seed }), client, {
      ...sending,
      model: injectedModel,
    });
    const failure = results.find((result) => result.failure !== undefined)?.failure;
    if (failure !== undefined) throw new Error(`a request failed: ${failure}`);
    return summarizeLoad(results);
  } finally {
    await client.close();
  }
}

async function startWorkers(count: number, options: SimWorkerOptions): Promise<readonly SimWorker[]> {
  const names = Array.from({ length: count }, (_, index) => `worker-${index}`);
  return await Promise.all(names.map((name) => startSimWorker({ ...options, name })));
}

function originOf(worker: SimWorker | undefined): string {
  return `http://${worker?.endpoint}`;
}
