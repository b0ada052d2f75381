import type { Worker, WorkerId, WorkerRank } from "../../../src/fleet/index.ts";
import type { Candidate, PickRequest } from "../../../src/pick/index.ts";

/** A healthy one-rank worker. */
export function workerOf(id: number, changes: Partial<Worker> = {}): Worker {
  return {
    id: BigInt(id) as WorkerId,
    incarnation: "1",
    name: `worker-${id}`,
    endpoint: `10.0.0.${id}:8000`,
    role: "aggregated",
    models: [],
    dpRankStart: 0,
    dpSize: 1,
    kvEvents: [],
    totalKvBlocks: undefined,
    taints: new Set(),
    labels: new Map(),
    headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
    healthPath: undefined,
    ranks: [],
    health: "healthy",
    isDraining: false,
    ...changes,
  };
}

export function rankOf(worker: Worker, dpRank = 0): WorkerRank {
  return { worker, dpRank, slot: Number(worker.id) * 8 + dpRank, kvEvents: undefined };
}

/** An idle eligible candidate with nothing cached. */
export function candidateOf(rank: WorkerRank, changes: Partial<Candidate> = {}): Candidate {
  return {
    rank,
    exclusion: undefined,
    deviceBlocks: 0,
    hostBlocks: 0,
    diskBlocks: 0,
    sharedCacheBlocks: 0,
    isLoadKnown: true,
    activePrefillTokens: 0,
    activeDecodeBlocks: 0,
    activeRequests: 0,
    blocksNotActive: 0,
    preference: 0,
    ...changes,
  };
}

export const request: PickRequest = { promptTokens: 160, blockSize: 16, phase: "decode", tracksPrefill: true };
