import type { WorkerRank } from "../fleet/index.ts";
import type { Profile } from "../model/index.ts";

/** Where a request was placed: one rank, or a decode rank with the rank that prefills for it. */
export interface Placement {
  readonly rank: WorkerRank;
  readonly prefill: WorkerRank | undefined;
}

/**
 * Routing headers for the picked worker. A Dynamo frontend takes its worker from `x-dynamo-*`
 * (dynamo@1.6.1 ext-proc/src/epp.rs `pick`); other engines get only what the worker's settings ask for.
 * @param profile undefined when the request names no model: a Dynamo id would mean nothing then
 */
export function workerHeaders(
  placement: Placement,
  profile: Profile | undefined,
): readonly (readonly [string, string])[] {
  if (profile?.setsDynamoHeaders === true) return dynamoHeaders(placement);
  const { rank, prefill } = placement;
  const headers: [string, string][] = [];
  if (rank.worker.headers.sendsDataParallelRank) headers.push(["x-data-parallel-rank", String(rank.dpRank)]);
  if (prefill !== undefined && rank.worker.headers.sendsPrefillHost) {
    headers.push(["x-prefiller-host-port", prefill.worker.endpoint]);
  }
  return headers;
}

function dynamoHeaders({ rank, prefill }: Placement): [string, string][] {
  const headers: [string, string][] = [
    ["x-dynamo-worker-instance-id", String(rank.worker.id)],
    ["x-dynamo-dp-rank", String(rank.dpRank)],
    ["x-dynamo-routing-mode", prefill === undefined ? "aggregated" : "disaggregated"],
  ];
  if (prefill !== undefined) {
    headers.push(["x-dynamo-prefill-instance-id", String(prefill.worker.id)]);
    headers.push(["x-dynamo-prefill-dp-rank", String(prefill.dpRank)]);
  }
  return headers;
}
