import {
  flagShape,
  listShape,
  type Member,
  mapShape,
  may,
  must,
  numberShape,
  type ObjectOf,
  objectShape,
  otherwise,
  textShape,
  u32Shape,
  u64Shape,
  wordShape,
} from "../../http/index.ts";
import type { AffinityTarget, RouteDemands, RouteOverrides, RouteSession } from "../../router/index.ts";
import type { RequestBounds } from "./options.ts";
import { maxNameLength } from "./prompt-fields.ts";

const weight = numberShape(0);
const name = textShape(maxNameLength);

const override = objectShape({
  overlap_score_credit: may(weight, "Blocks of prefill that one cached block saves."),
  prefill_load_scale: may(weight, "Weight of a prefill block against a decode block."),
  overlap_score_weight: may(weight, "Older name of `prefill_load_scale`; 0 also ignores caches."),
  router_temperature: may(weight, "0 = the cheapest worker; above, dearer ones too."),
  assume_kv_reuse: may(flagShape, "Whether blocks equal to a running request's count and are charged once."),
  track_prefill_tokens: may(flagShape, "Whether uncached prompt tokens count and are charged."),
  shared_cache_multiplier: may(numberShape(0, 1), "Credit of a block in a cache that all workers share."),
});

const pinnedWorker = objectShape({
  worker_id: must(u64Shape, "Its id."),
  dp_rank: must(u32Shape, "Its data-parallel rank."),
});

const affinityTarget = objectShape({
  worker_id: must(u64Shape, "Its id."),
  dp_rank: may(u32Shape, "Its data-parallel rank; absent = any."),
});

function constraintsShape({ maxListItems }: RequestBounds) {
  return objectShape({
    required_taints: otherwise(listShape(name, maxListItems), [], "Taints that the worker must have."),
    preferred_taints: otherwise(
      mapShape(numberShape(), maxListItems),
      new Map<string, number>(),
      "Taints and weights; a positive weight makes a worker that has the taint cheaper.",
      {},
    ),
  });
}

function sessionShape({ maxListItems }: RequestBounds) {
  const headers = mapShape(listShape(textShape(4_096), maxListItems), maxListItems);
  return objectShape({
    session_id: must(name, "The session."),
    parent_session_id: may(name, "The session that it came from."),
    session_final: may(flagShape, "Whether this is its last request."),
    input_trigger: may(wordShape("user_message", "tool_result", "other"), "What the request answers."),
    agent_headers: may(headers, "Headers of the agent."),
  });
}

/** The fields that say which worker a request may have, and by which weights it is chosen. */
export function demandMembers(bounds: RequestBounds) {
  return {
    router_config_override: may(override, "Weights of this request."),
    expected_output_tokens: may(u32Shape, "Tokens that the answer is expected to have; not looked at yet."),
    priority_jump: may(numberShape(), "Not looked at: nothing waits here."),
    strict_priority: may(u32Shape, "Not looked at: nothing waits here."),
    session_id: may(name, "The session that the request belongs to."),
    session_context: may(sessionShape(bounds), "The same with more; before `session_id`."),
    affinity_target: may(affinityTarget, "A worker that is chosen whenever it may serve the request."),
    pinned_worker: may(pinnedWorker, "The one worker that may serve the request."),
    allowed_worker_ids: may(listShape(u64Shape, bounds.maxListItems), "The workers that may serve the request."),
    routing_constraints: otherwise(
      constraintsShape(bounds),
      { required_taints: [], preferred_taints: new Map<string, number>() },
      "Taints that are required or preferred.",
      {},
    ),
  } as const satisfies Record<string, Member<unknown>>;
}

/** What `demandMembers` read. */
export type DemandFields = ObjectOf<ReturnType<typeof demandMembers>>;

/** Worker ids are branded in the core: here they are what the wire holds. */
type Constraints = RouteDemands["constraints"];
type WorkerId = NonNullable<Constraints["pinned"]>["workerId"];

/** The demands as the choice takes them. */
export function demandsOf(fields: DemandFields): RouteDemands {
  const { allowed_worker_ids: allowed, pinned_worker: pinned, routing_constraints: taints } = fields;
  const { required_taints: required, preferred_taints: preferred } = taints;
  return {
    constraints: {
      ...(allowed === undefined ? {} : { allowed: new Set(allowed as readonly WorkerId[]) }),
      ...(pinned === undefined ? {} : { pinned: { workerId: pinned.worker_id as WorkerId, dpRank: pinned.dp_rank } }),
      ...(required.length === 0 ? {} : { requiredTaints: required }),
      ...(preferred.size === 0 ? {} : { preferredTaints: preferred }),
    },
    overrides: overridesOf(fields.router_config_override),
  };
}

/** The session that the request belongs to, as far as it names one. */
export function sessionOf({ session_context: context, session_id: plain }: DemandFields): RouteSession | undefined {
  const id = context?.session_id ?? plain;
  return id === undefined || id === "" ? undefined : { id, isFinal: context?.session_final ?? false };
}

export function affinityOf({ affinity_target: target }: DemandFields): AffinityTarget | undefined {
  return target === undefined ? undefined : { workerId: target.worker_id as WorkerId, dpRank: target.dp_rank };
}

type OverrideFields = DemandFields["router_config_override"];

/** Source: dynamo@1.6.1 RouterConfigOverride. */
export function overridesOf(fields: OverrideFields): RouteOverrides | undefined {
  if (fields === undefined) return undefined;
  const { overlap_score_weight: legacy } = fields;
  const prefillLoadScale = fields.prefill_load_scale ?? legacy;
  const overlapScoreCredit = fields.overlap_score_credit ?? (legacy === 0 ? 0 : undefined);
  return withoutUndefined({
    overlapScoreCredit,
    prefillLoadScale,
    temperature: fields.router_temperature,
    sharedCacheMultiplier: fields.shared_cache_multiplier,
    assumesKvReuse: fields.assume_kv_reuse,
    tracksPrefill: fields.track_prefill_tokens,
  });
}

function withoutUndefined(
  overrides: {
    readonly [K in keyof RouteOverrides]: RouteOverrides[K] | undefined;
  },
): RouteOverrides {
  return Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined)) as RouteOverrides;
}
