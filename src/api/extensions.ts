import type { Buffer } from "node:buffer";
import { JsonNumber, JsonObject, type JsonValue } from "../json/index.ts";
import {
  FieldError,
  flag,
  float32,
  float64,
  i32,
  isList,
  listOf,
  optional,
  type Reader,
  recordOf,
  required,
  struct,
  text,
  u32,
  u64,
  withDefault,
} from "./fields/index.ts";

/** What a request says to the router beside its prompt. */
export interface RequestExtensions {
  /** The client's own `nvext.token_data`: routed on, and left in the body. */
  readonly tokenData: Uint32Array | undefined;
  /** Cache namespace: `nvext.cache_salt`, else top-level `cache_salt`; never empty. */
  readonly cacheSalt: string | undefined;
  /** `nvext.agent_hints.osl`, in tokens. */
  readonly expectedOutputTokens: number | undefined;
  /** `nvext.agent_hints.priority`; higher goes first. */
  readonly priority: number | undefined;
  /** The client asked for a stream. */
  readonly stream: boolean;
}

/** The structs within the envelope: serde reads them strictly, and from an array as well. */
const strict = { unknown: "refuse", positional: true } as const;

const tokenIds: Reader<Uint32Array> = (value, duplicates) => {
  if (!isList(value)) throw new FieldError("must be an array of token ids");
  const ids = new Uint32Array(value.length);
  for (let at = 0; at < value.length; at++) {
    const item = value[at] as JsonValue;
    // The common case first: up to nine digits always fit, and need no exception frame per id.
    if (item instanceof JsonNumber && item.isInteger && item.lexeme.length <= 9 && item.lexeme.charCodeAt(0) !== 0x2d) {
      ids[at] = item.toNumber();
      continue;
    }
    try {
      ids[at] = u32(item, duplicates);
    } catch (error) {
      throw error instanceof FieldError ? error.within(at) : error;
    }
  }
  return ids;
};

const uploadUrl: Reader<string> = (value, duplicates) => {
  const trimmed = text(value, duplicates).trim();
  if (trimmed === "") throw new FieldError("must not be empty");
  return trimmed;
};

const agentHints = struct(
  {
    priority: optional(i32),
    strict_priority: optional(u32),
    osl: optional(u32),
    speculative_prefill: optional(flag),
    latency_sensitivity: optional(float64),
  },
  strict,
);

const constraintsStruct = struct(
  {
    required_taints: withDefault(listOf(text), []),
    preferred_taints: withDefault(recordOf(float32), new Map<string, number>()),
  },
  strict,
);

/** Most taints that one request may require, or prefer: each is looked up for every worker. */
const maxTaints = 64;

const routingConstraints: Reader<ReturnType<typeof constraintsStruct>> = (value, duplicates) => {
  const constraints = constraintsStruct(value, duplicates);
  const most = Math.max(constraints.required_taints.length, constraints.preferred_taints.size);
  if (most > maxTaints) throw new FieldError(`must name at most ${maxTaints} taints`);
  return constraints;
};

/** Properties of workers that a request demands or wishes for. */
export interface RoutingConstraints {
  /** The worker must have all of them. */
  readonly requiredTaints: readonly string[];
  /** Taint to weight; a positive one is a wish, a negative one an aversion. */
  readonly preferredTaints: ReadonlyMap<string, number>;
}

/**
 * The body's `nvext.routing_constraints`; undefined when there are none.
 * @throws RoutingError invalid_request, naming the field
 */
export function routingConstraintsOf(root: JsonObject): RoutingConstraints | undefined {
  const value = constraintsValue(root.get("nvext"));
  if (!isGiven(value)) return undefined;
  try {
    const { required_taints, preferred_taints } = routingConstraints(value as JsonValue, "refuse");
    return { requiredTaints: required_taints, preferredTaints: preferred_taints };
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    throw error.within("routing_constraints").within("nvext").toRoutingError();
  }
}

function constraintsValue(envelope: JsonValue | undefined): JsonValue | undefined {
  return envelope instanceof JsonObject ? envelope.get("routing_constraints") : undefined;
}

/** Whether constraints can change the choice: an empty list or object cannot. */
function isConstraining(value: JsonValue | undefined): boolean {
  if (!(value instanceof JsonObject)) return !isEmpty(value);
  for (const [, member] of value.entries()) if (!isEmpty(member)) return true;
  return false;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value instanceof JsonObject) return value.size === 0;
  return isList(value) ? value.length === 0 : !isGiven(value);
}

/**
 * Dynamo's extension envelope (dynamo-llm@1.6.1 protocols/common/extensions.rs NvExt): no other key is accepted. Unlike the
 * frontend it must be an object: an array could hide a worker, and has no place for token data.
 */
export const nvext = struct(
  {
    greed_sampling: optional(flag),
    use_raw_prompt: optional(flag),
    annotations: optional(listOf(text)),
    backend_instance_id: optional(u64),
    token_data: optional(tokenIds),
    max_thinking_tokens: optional(u32),
    cache_salt: optional(text),
    extra_fields: optional(listOf(text)),
    metadata_upload: optional(struct({ url: required(uploadUrl) }, strict)),
    prefill_worker_id: optional(u64),
    decode_worker_id: optional(u64),
    dp_rank: optional(u32),
    prefill_dp_rank: optional(u32),
    agent_hints: optional(agentHints),
    request_timestamp_ms: optional(float64),
    routing_constraints: optional(routingConstraints),
    router: optional(struct({ ttft_target: optional(float64), itl_target: optional(float64) }, strict)),
  },
  { unknown: "refuse" },
);

/** The envelope once read. */
export type NvExt = ReturnType<typeof nvext>;

/** Gathers what the router needs. `topLevelSalt` counts only where the API keeps unknown fields (not on Responses). */
export function requestExtensions(
  envelope: NvExt | undefined,
  topLevelSalt: JsonValue | undefined,
  stream: boolean,
): RequestExtensions {
  return {
    tokenData: envelope?.token_data,
    cacheSalt: nonEmpty(envelope?.cache_salt) ?? nonEmpty(topLevelSalt),
    expectedOutputTokens: envelope?.agent_hints?.osl,
    priority: envelope?.agent_hints?.priority,
    stream,
  };
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const pinsInNvext = [
  "backend_instance_id",
  "decode_worker_id",
  "prefill_worker_id",
  "dp_rank",
  "prefill_dp_rank",
];
export const pinsAtRoot = [
  "bootstrap_host",
  "bootstrap_port",
  "bootstrap_room",
  "bootstrap_pair_key",
  "decode_tp_size",
  "disagg_prefill_dp_rank",
  "kv_transfer_params",
  "routed_dp_rank",
  "data_parallel_rank",
];

/** Names of the body's fields that choose a worker, as a client would write them; null does not choose. */
export function clientPinsOf(root: JsonObject): readonly string[] {
  const pins = pinsAtRoot.filter((name) => isGiven(root.get(name)));
  const envelope = root.get("nvext");
  if (isList(envelope) && envelope.some(isGiven)) return [...pins, "nvext"];
  if (!(envelope instanceof JsonObject)) return pins;
  const inNvext = pinsInNvext.filter((name) => isGiven(envelope.get(name)));
  if (isConstraining(constraintsValue(envelope))) inNvext.push("routing_constraints");
  return [...pins, ...inNvext.map((name) => `nvext.${name}`)];
}

/** The same of a text that is not JSON here but may be for a more lenient server: names that occur in it at all. */
export function clientPinsInText(body: Buffer): readonly string[] {
  return [...pinsAtRoot, ...pinsInNvext, "routing_constraints"].filter((name) => body.includes(`"${name}"`));
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}
