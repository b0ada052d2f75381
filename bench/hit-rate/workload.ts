import type { SimWorkerOptions } from "../../src/sim-worker/index.ts";
import type { RunOptions, WorkloadOptions } from "../../test/support/load/index.ts";

/**
 * 60 conversations of 6 turns for 3 tenants, the first of which has most. The sizes are chosen so that random routing
 * gets about 0.57, as it did in llm-d's own test of this shape: about 1,650 tokens a prompt, 4 x 20,480 tokens of cache.
 */
export const workload: WorkloadOptions = {
  conversations: 60,
  turns: 6,
  tenants: 3,
  tenantSkew: 1,
  systemWords: 590,
  questionWords: 125,
};

/** How the turns are sent, but for the model's name. */
export const sending: Omit<RunOptions, "model"> = { api: "chat", stream: true, outputTokens: 170, concurrency: 16 };

/** Workers in the pool. */
export const poolSize = 4;

/** Tokens in a KV block, at the picker and at the workers. */
export const blockSize = 16;

/** Each worker: a small cache, and times that fall with the hit rate, as in llm-d's test. */
export const workerOptions: SimWorkerOptions = {
  blockSize,
  gpuBlocks: 1280,
  maxNumSeqs: 8,
  prefillTimePerTokenUs: 200,
  prefillMode: "parallel",
  loadFactor: 3,
  interTokenMs: 5,
  recordedRequests: 0,
};

/** More blocks than the whole workload has. */
export const unlimitedBlocks = 1_000_000;

/** Weights of the pick by the name that the report gives them. The first is what the bar is about. */
export const routings: Readonly<Record<string, object>> = {
  "pointsman as it comes": {},
  "pointsman, Dynamo's weights": { prefillLoadScale: 1 },
};
