import type { WorkerId, WorkerSpec } from "../../../src/fleet/index.ts";

export const idOf = (id: number) => BigInt(id) as WorkerId;

/** Worker `n` at 10.0.0.n:8000, serving every model, with one rank and no events. */
export function specOf(n: number, changes: Partial<WorkerSpec> = {}): WorkerSpec {
  return {
    id: idOf(n),
    incarnation: "first",
    name: `worker-${n}`,
    endpoint: `10.0.0.${n}:8000`,
    role: "aggregated",
    models: [],
    dpRankStart: 0,
    dpSize: 1,
    kvEvents: [],
    totalKvBlocks: undefined,
    taints: new Set(),
    labels: new Map(),
    headers: { sendsDataParallelRank: false, sendsPrefillHost: false },
    healthPath: "/health",
    ...changes,
  };
}
