import {
  flagShape,
  listShape,
  type Member,
  mapped,
  mapShape,
  may,
  must,
  numberShape,
  type ObjectOf,
  objectShape,
  type Shape,
  textShape,
  u32Shape,
  u64Shape,
  wordShape,
} from "../../http/index.ts";
import { FieldError } from "../../json/index.ts";
import type { WorkerPatch, WorkerRegistration } from "../../router/index.ts";
import type { RequestBounds } from "./options.ts";
import { maxNameLength, partitionMembers } from "./prompt-fields.ts";

const name = textShape(maxNameLength);
const url = textShape(2_048);

/** Endpoints by dp rank. JSON's keys are texts: the ranks stand in quotes. */
function byRankShape(maxItems: number): Shape<ReadonlyMap<number, string>> {
  return mapped(mapShape(url, maxItems, 10), (endpoints) => {
    const byRank = new Map<number, string>();
    for (const [key, endpoint] of endpoints) {
      const rank = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN;
      if (!(rank <= 0xffff_ffff)) throw new FieldError("must have keys that are ranks in quotes");
      byRank.set(rank, endpoint);
    }
    return byRank;
  });
}

/** What may be told of a worker, and changed later. */
function patchMembers({ maxListItems }: RequestBounds) {
  const byRank = byRankShape(maxListItems);
  return {
    endpoint: may(url, "Where requests are sent: a URL, `host:port`, or any text that the caller understands."),
    kv_events_endpoint: may(url, "Where the only rank publishes KV events, `tcp://host:port`."),
    kv_events_endpoints: may(byRank, "Where each rank publishes KV events, by rank."),
    replay_endpoint: may(url, "Where the only rank replays past KV events."),
    replay_endpoints: may(byRank, "Where each rank replays past KV events, by rank."),
    block_size: may(u32Shape, "Tokens in a KV block."),
    data_parallel_start_rank: may(u32Shape, "First data-parallel rank; 0 when absent."),
    data_parallel_size: may(u32Shape, "Number of data-parallel ranks; 1 when absent."),
    max_num_batched_tokens: may(u64Shape, "Tokens of prefill that a rank takes at once."),
    total_kv_blocks: may(u64Shape, "KV blocks that a rank can hold."),
    stable_routing_id: may(name, "Kept and shown; not looked at."),
    is_eagle: may(flagShape, "Whether its blocks are hashed as for Eagle models."),
    taints: may(listShape(name, maxListItems), "Properties that a request can require or prefer."),
    topology_domains: may(mapShape(name, maxListItems), "Where it stands, by kind of domain."),
    kv_transfer_domain: may(name, "Domain within which KV blocks are transferred."),
    kv_transfer_enforcement: may(wordShape("required", "preferred"), "Whether that domain is a must."),
    kv_transfer_preferred_weight: may(numberShape(), "Kept and shown; not looked at."),
    router_hint_worker_type: may(name, "Kept and shown; not looked at."),
    router_hint_source_control_endpoints: may(byRank, "Kept and shown; not looked at."),
    name: may(name, "Name for people, logs and metrics."),
    role: may(wordShape("aggregated", "prefill", "decode"), "What it does for a request; aggregated when absent."),
    draining: may(flagShape, "Whether it is leaving: it keeps what it has, and is not picked. false when absent."),
  } as const satisfies Record<string, Member<unknown>>;
}

type PatchFields = ObjectOf<ReturnType<typeof patchMembers>>;

/** Body of `POST /workers`. */
export function registrationShape(bounds: RequestBounds): Shape<WorkerRegistration> {
  const shape = objectShape({ worker_id: must(u64Shape, "Its id."), ...partitionMembers, ...patchMembers(bounds) });
  return mapped(shape, (fields) => ({
    ...emptyRegistration,
    workerId: fields.worker_id as WorkerRegistration["workerId"],
    modelName: fields.model_name,
    routingGroup: fields.routing_group,
    ...patchOf(fields),
  }));
}

/** Body of `PATCH /workers/{worker_id}`: members that are absent or null stay as they are. */
export function patchShape(bounds: RequestBounds): Shape<WorkerPatch> {
  return mapped(objectShape(patchMembers(bounds)), patchOf);
}

const emptyRegistration = {
  endpoint: undefined,
  kvEventsEndpoint: undefined,
  kvEventsEndpoints: new Map(),
  replayEndpoint: undefined,
  replayEndpoints: new Map(),
  blockSize: undefined,
  dataParallelStartRank: undefined,
  dataParallelSize: undefined,
  maxNumBatchedTokens: undefined,
  totalKvBlocks: undefined,
  stableRoutingId: undefined,
  isEagle: undefined,
  taints: [],
  topologyDomains: new Map(),
  kvTransferDomain: undefined,
  kvTransferEnforcement: undefined,
  kvTransferPreferredWeight: undefined,
  routerHintWorkerType: undefined,
  routerHintSourceControlEndpoints: new Map(),
  name: undefined,
  role: undefined,
  isDraining: undefined,
} satisfies Omit<WorkerRegistration, "workerId" | "modelName" | "routingGroup">;

function patchOf(fields: PatchFields): WorkerPatch {
  const patch = {
    endpoint: fields.endpoint,
    kvEventsEndpoint: fields.kv_events_endpoint,
    kvEventsEndpoints: fields.kv_events_endpoints,
    replayEndpoint: fields.replay_endpoint,
    replayEndpoints: fields.replay_endpoints,
    blockSize: fields.block_size,
    dataParallelStartRank: fields.data_parallel_start_rank,
    dataParallelSize: fields.data_parallel_size,
    maxNumBatchedTokens: fields.max_num_batched_tokens,
    totalKvBlocks: fields.total_kv_blocks,
    stableRoutingId: fields.stable_routing_id,
    isEagle: fields.is_eagle,
    taints: fields.taints === undefined ? undefined : [...new Set(fields.taints)],
    topologyDomains: fields.topology_domains,
    kvTransferDomain: fields.kv_transfer_domain,
    kvTransferEnforcement: fields.kv_transfer_enforcement,
    kvTransferPreferredWeight: fields.kv_transfer_preferred_weight,
    routerHintWorkerType: fields.router_hint_worker_type,
    routerHintSourceControlEndpoints: fields.router_hint_source_control_endpoints,
    name: fields.name,
    role: fields.role,
    isDraining: fields.draining,
  };
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
