import type { JsonSchema } from "../../http/index.ts";
import type { RegisteredWorker, WorkerRank } from "../../router/index.ts";
import { exactJson, withSnakeKeys } from "./json-text.ts";

/** What is known of workers, for people. */
export interface WorkerSigns {
  /** What came of a rank's KV events; undefined when it publishes none. */
  readonly kvEvents: (rank: WorkerRank) => object | undefined;
  /** What is wrong with how a worker is set up. */
  readonly problems: (worker: WorkerRank["worker"]) => readonly object[];
  /** What other replicas have booked on a rank; undefined where load is not shared. */
  readonly siblingLoad: (rank: WorkerRank) => object | undefined;
}

/** A worker's record as dynamo@1.6.1 select_service writes it. @param status our own addition, in `GET /workers` */
export function workerRecord(worker: RegisteredWorker, status?: string): string {
  const json = exactJson({
    worker_id: worker.workerId,
    model_name: worker.modelName,
    routing_group: worker.routingGroup,
    lifecycle: worker.lifecycle,
    endpoint: worker.endpoint ?? null,
    kv_events_endpoint: worker.kvEventsEndpoint ?? null,
    kv_events_endpoints: unlessEmpty(worker.kvEventsEndpoints),
    replay_endpoint: worker.replayEndpoint ?? null,
    replay_endpoints: unlessEmpty(worker.replayEndpoints),
    block_size: worker.blockSize ?? null,
    data_parallel_start_rank: worker.dataParallelStartRank ?? null,
    data_parallel_size: worker.dataParallelSize ?? null,
    max_num_batched_tokens: worker.maxNumBatchedTokens ?? null,
    total_kv_blocks: worker.totalKvBlocks ?? null,
    stable_routing_id: worker.stableRoutingId ?? null,
    is_eagle: worker.isEagle ?? null,
    taints: worker.taints,
    topology_domains: worker.topologyDomains,
    kv_transfer_domain: worker.kvTransferDomain ?? null,
    kv_transfer_enforcement: worker.kvTransferEnforcement ?? null,
    kv_transfer_preferred_weight: worker.kvTransferPreferredWeight ?? null,
    router_hint_worker_type: worker.routerHintWorkerType,
    router_hint_source_control_endpoints: unlessEmpty(worker.routerHintSourceControlEndpoints),
    name: worker.name,
    role: worker.role,
    not_schedulable_reasons: worker.notSchedulableReasons.length === 0 ? undefined : worker.notSchedulableReasons,
  });
  return status === undefined ? json : `${json.slice(0, -1)},"status":${status}}`;
}

/** Health of a worker, what is wrong with its settings, and the KV events of each of its ranks: what is wrong with them stands in `problems`. */
export function workerStatus(ranks: readonly WorkerRank[], signs: WorkerSigns): string {
  const [first] = ranks;
  return exactJson({
    health: first?.worker.health ?? null,
    problems: first === undefined ? [] : signs.problems(first.worker),
    ranks: ranks.map((rank) => ({
      dp_rank: rank.dpRank,
      kv_events: withSnakeKeys(signs.kvEvents(rank) ?? null),
      sibling_load: withSnakeKeys(signs.siblingLoad(rank)),
    })),
  });
}

function unlessEmpty<K, V>(map: ReadonlyMap<K, V>): ReadonlyMap<K, V> | undefined {
  return map.size === 0 ? undefined : map;
}

const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });
const text = nullable({ type: "string" });
const integer = nullable({ type: "integer" });

export const workerSchema: JsonSchema = {
  type: "object",
  required: ["worker_id", "model_name", "routing_group", "lifecycle"],
  properties: {
    worker_id: { type: "integer", format: "uint64" },
    model_name: { type: "string" },
    routing_group: { type: "string" },
    lifecycle: { type: "string", enum: ["incomplete", "schedulable", "draining", "unschedulable"] },
    endpoint: text,
    kv_events_endpoint: text,
    kv_events_endpoints: { type: "object", additionalProperties: { type: "string" } },
    replay_endpoint: text,
    replay_endpoints: { type: "object", additionalProperties: { type: "string" } },
    block_size: integer,
    data_parallel_start_rank: integer,
    data_parallel_size: integer,
    max_num_batched_tokens: integer,
    total_kv_blocks: integer,
    stable_routing_id: text,
    is_eagle: nullable({ type: "boolean" }),
    taints: { type: "array", items: { type: "string" } },
    topology_domains: { type: "object", additionalProperties: { type: "string" } },
    kv_transfer_domain: text,
    kv_transfer_enforcement: text,
    kv_transfer_preferred_weight: nullable({ type: "number" }),
    not_schedulable_reasons: { type: "array", items: { type: "string" }, description: "Why it is incomplete." },
    status: {
      type: "object",
      description:
        "In `GET /workers`: health, what is wrong with its settings (`problems`), and of each rank its KV events and what is wrong with them, and what other replicas have booked on it (`sibling_load`).",
    },
  },
};
