import { RoutingError } from "../errors/index.ts";
import { type BlockHashes, type BlockMmInfo, chainHashes, hashBlocks } from "../kv/index.ts";
import type { Partition } from "./partitions.ts";
import type { Placeable, RouteDemands } from "./placeable.ts";

/** A prompt that its caller tokenized. */
export interface TokenPrompt {
  readonly kind: "tokens";
  readonly tokenIds: Uint32Array;
  /** Multimodal objects by block; undefined or absent = text only. */
  readonly blockMmInfos: readonly (BlockMmInfo | undefined)[] | undefined;
  readonly loraName: string | undefined;
  readonly cacheSalt: string | undefined;
  /** Undefined = as the partition. */
  readonly isEagle: boolean | undefined;
}

/** A prompt that its caller hashed. Hashes are two u32 each, low first. */
export interface HashPrompt {
  readonly kind: "hashes";
  /** Block hashes: of each block's own tokens; undefined = not known, for a booking without a choice. */
  readonly blocks: Uint32Array | undefined;
  /** What the load counts its blocks by; undefined = their sequence hashes. */
  readonly loadSequence: Uint32Array | undefined;
  /** Prompt length, tokens; undefined = its blocks, all full. */
  readonly promptTokens: number | undefined;
}

/** A prompt as callers of the route API give it, where they do not give their client's request. */
export type GivenPrompt = TokenPrompt | HashPrompt;

/**
 * A given prompt as the choice sees it. O(tokens).
 * @throws RoutingError invalid_request naming the field: over 4 Mi tokens, hashes of unequal number
 */
export function placeableOf(partition: Partition, prompt: GivenPrompt, demands: RouteDemands): Placeable {
  const base = {
    api: "given",
    model: partition.served,
    bodyEdit: undefined,
    loadOnlyReason: undefined,
    demands,
  } as const;
  if (prompt.kind === "tokens") {
    return { ...base, promptTokens: prompt.tokenIds.length, hashes: hashesOfTokens(partition, prompt) };
  }
  const { blocks, loadSequence, promptTokens } = prompt;
  const count = (blocks ?? loadSequence ?? noHashes).length >>> 1;
  if (blocks !== undefined && loadSequence !== undefined && loadSequence.length !== blocks.length) {
    const message = `block_hashes length ${count} must match sequence_hashes length ${loadSequence.length >>> 1}`;
    throw new RoutingError(message, { code: "invalid_request", field: "sequence_hashes" });
  }
  return {
    ...base,
    promptTokens: promptTokens ?? count * partition.blockSize,
    hashes: blocks === undefined ? undefined : { count, local: blocks, sequence: chainHashes(blocks) },
    ...(loadSequence === undefined ? {} : { loadSequence }),
  };
}

const noHashes = new Uint32Array(0);

function hashesOfTokens(partition: Partition, prompt: TokenPrompt): BlockHashes {
  const { tokenIds, blockMmInfos, loraName, cacheSalt, isEagle = partition.isEagle } = prompt;
  const { blockSize } = partition;
  return hashBlocks(tokenIds, { blockSize, blockMmInfos, loraName, cacheSalt, isEagle });
}
