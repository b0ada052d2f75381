import { RoutingError } from "../../errors/index.ts";
import {
  flagShape,
  listShape,
  type Member,
  mapped,
  may,
  must,
  type ObjectOf,
  objectShape,
  orNull,
  otherwise,
  type Shape,
  textShape,
  u32Shape,
  u64Shape,
} from "../../http/index.ts";
import type { GivenPrompt, TokenPrompt } from "../../router/index.ts";
import { type Arrays, i64ArrayShape, u32ArrayShape } from "./body.ts";
import type { RequestBounds } from "./options.ts";

/** Longest name or id of any kind, in characters. */
export const maxNameLength = 256;

/** Which workers a request is for. */
export const partitionMembers = {
  model_name: otherwise(
    textShape(maxNameLength),
    "default",
    "Model that the workers serve. Where nobody serves `default`: the configured one, if it is the only one.",
  ),
  routing_group: otherwise(textShape(maxNameLength), "default", "Group of workers within the model."),
};

const offsets = listShape(listShape(u32Shape, 2), 4_096);
const mmObject = objectShape({
  mm_hash: must(u64Shape, "Identity of the object."),
  offsets: must(offsets, "Where it stands; not looked at."),
});

function blockMmInfosShape(maxBlocks: number): Shape<readonly (Uint32Array | undefined)[]> {
  const block = objectShape({ mm_objects: must(listShape(mmObject, 1_024), "Objects that touch the block.") });
  const hashes = mapped(block, ({ mm_objects }) => wordsOf(mm_objects.map(({ mm_hash }) => mm_hash)));
  return listShape(orNull(hashes), maxBlocks);
}

function wordsOf(hashes: readonly bigint[]): Uint32Array {
  return new Uint32Array(BigUint64Array.from(hashes).buffer);
}

/** The fields that give a prompt as token ids or as hashes. */
export function promptMembers({ maxTokenIds, maxHashes }: RequestBounds) {
  const blockMmInfos = blockMmInfosShape(maxHashes);
  const routingInfo = objectShape({
    routing_token_ids: must(u32ArrayShape(maxTokenIds), "Token ids with placeholders of the objects."),
    block_mm_infos: otherwise(blockMmInfos, [], "Multimodal objects by block; null = text only."),
  });
  return {
    token_ids: may(u32ArrayShape(maxTokenIds), "The prompt's token ids."),
    mm_routing_info: may(routingInfo, "Token ids and objects of a multimodal prompt; before `token_ids`."),
    block_mm_infos: may(blockMmInfos, "Multimodal objects of `token_ids` by block; null = text only."),
    block_hashes: may(
      i64ArrayShape(maxHashes),
      "In place of token ids: the hash of each complete block's tokens (XXH3-64, seed 1337), as signed integers.",
    ),
    sequence_hashes: may(i64ArrayShape(maxHashes), "What running requests' blocks are counted by; as many."),
    isl_tokens: may(u64Shape, "Prompt length in tokens, with hashes."),
    lora_name: may(textShape(maxNameLength), "LoRA adapter; separates caches."),
    cache_salt: may(textShape(4_096), "Cache namespace; separates caches."),
    is_eagle: may(flagShape, "Hashes blocks with one token more, as for Eagle models. Absent = as the workers say."),
  } as const satisfies Record<string, Member<unknown>>;
}

/** What `promptMembers` read. */
export type PromptFields = ObjectOf<ReturnType<typeof promptMembers>>;

/** The prompt in token ids, when it is given so. */
export function tokenPromptOf(fields: PromptFields, arrays: Arrays): TokenPrompt | undefined {
  const { mm_routing_info: routing, lora_name: loraName, cache_salt: cacheSalt, is_eagle: isEagle } = fields;
  const rest = { kind: "tokens", loraName, cacheSalt, isEagle } as const;
  if (routing !== undefined && routing.routing_token_ids.length > 0) {
    return { ...rest, tokenIds: routing.routing_token_ids, blockMmInfos: mmInfosOf(routing.block_mm_infos) };
  }
  const tokenIds = arrays.get("token_ids") ?? fields.token_ids;
  return tokenIds === undefined ? undefined : { ...rest, tokenIds, blockMmInfos: mmInfosOf(fields.block_mm_infos) };
}

function mmInfosOf(blocks: readonly (Uint32Array | undefined)[] | undefined): TokenPrompt["blockMmInfos"] {
  return blocks?.map((hashes) => (hashes === undefined ? undefined : { hashes }));
}

/** Block hashes as given; undefined = none are. */
export function blockHashesOf(fields: PromptFields, arrays: Arrays): Uint32Array | undefined {
  return arrays.get("block_hashes") ?? fields.block_hashes;
}

/** Sequence hashes as given; undefined = none are. */
export function sequenceHashesOf(fields: PromptFields, arrays: Arrays): Uint32Array | undefined {
  return arrays.get("sequence_hashes") ?? fields.sequence_hashes;
}

/**
 * The prompt as the Dynamo-compatible API takes it: token ids, or both kinds of hashes with a length.
 * @throws RoutingError invalid_request, naming the field that is missing
 */
export function strictPromptOf(fields: PromptFields, arrays: Arrays): GivenPrompt {
  const tokens = tokenPromptOf(fields, arrays);
  if (tokens !== undefined) return tokens;
  const blocks = blockHashesOf(fields, arrays);
  if (blocks === undefined) throw missing("block_hashes");
  const loadSequence = sequenceHashesOf(fields, arrays);
  if (loadSequence === undefined) throw missing("sequence_hashes");
  if (fields.isl_tokens === undefined) throw missing("isl_tokens");
  if (fields.isl_tokens === 0n) throw invalid("isl_tokens must be greater than 0", "isl_tokens");
  return { kind: "hashes", blocks, loadSequence, promptTokens: lengthOf(fields.isl_tokens) };
}

/**
 * What a reservation on a given worker holds: the blocks of a prompt, or sequence hashes alone.
 * @throws RoutingError invalid_request, naming the field that is missing
 */
export function reservedPromptOf(fields: PromptFields, arrays: Arrays): GivenPrompt {
  const tokens = tokenPromptOf(fields, arrays);
  if (tokens !== undefined) return tokens;
  const loadSequence = sequenceHashesOf(fields, arrays);
  if (loadSequence === undefined) throw missing("sequence_hashes");
  if (fields.isl_tokens === undefined) throw missing("isl_tokens");
  const blocks = blockHashesOf(fields, arrays);
  return { kind: "hashes", blocks, loadSequence, promptTokens: lengthOf(fields.isl_tokens) };
}

/** Longest prompt that is believed, tokens. */
const maxPromptTokens = 2n ** 40n;

/** A length in tokens. @throws RoutingError invalid_request */
export function lengthOf(tokens: bigint): number {
  if (tokens > maxPromptTokens) throw invalid(`isl_tokens must be at most ${maxPromptTokens}`, "isl_tokens");
  return Number(tokens);
}

function missing(field: string): RoutingError {
  return invalid(`${field} is required without token_ids`, field);
}

export function invalid(message: string, field: string): RoutingError {
  return new RoutingError(message, { code: "invalid_request", field });
}
