import { hashLocalBlocks } from "./block-hashes.ts";
import type { StorageTier } from "./held-blocks.ts";
import type { KvEvent, KvEventScope, StoredEvent } from "./kv-event.ts";
import type { StoredBlocks } from "./stored-blocks.ts";
import type { U64 } from "./xxh3.ts";

/**
 * Why an event does not change the index. Labels as Dynamo's (dynamo@1.6.1 `ZmqEventFilterReason`), but for its
 * `ambiguous_cache_namespace`, since the index believes the newest content of a hash, and for the last two, which are ours.
 */
export type FilterReason =
  | "ignored_event"
  | "non_local_locality"
  | "unknown_medium"
  | "unsupported_ownership"
  | "unknown_ownership"
  | "non_main_attention_kind"
  | "unknown_kind"
  | "non_main_attention_group"
  | "unlearned_group_idx"
  | "block_size_mismatch"
  | "self_reference";

/** A change of the index. */
export type IndexChange =
  | { readonly kind: "store"; readonly blocks: StoredBlocks }
  | { readonly kind: "remove"; readonly blockHashes: Uint32Array; readonly tier: StorageTier }
  | { readonly kind: "clear" };

/** An event that changes nothing, and why. */
export interface FilteredEvent {
  readonly kind: "filtered";
  readonly reason: FilterReason;
}

/** Namespace of a block that the rank is known to hold; undefined = none, or not known. */
export type CacheSaltLookup = (hash: U64) => string | undefined;

const tierByMedium: Readonly<Record<string, StorageTier>> = {
  "": "device",
  GPU: "device",
  DEVICE: "device",
  CPU: "host_pinned",
  CPU_PINNED: "host_pinned",
  CPU_TIER1: "host_pinned",
  CPU_TIER2: "disk",
  DISK: "disk",
  NVME: "disk",
  STORAGE: "disk",
  EXTERNAL: "external",
  NETWORK: "external",
  REMOTE: "external",
  SHARED: "external",
};
const mainAttentionKinds = new Set(["full_attention", "mla_attention", "sink_full_attention"]);
const otherAttentionKinds = new Set([
  "sliding_window",
  "sliding_window_mla",
  "chunked_local_attention",
  "mamba",
  "cross_attention",
  "encoder_only_attention",
]);

/**
 * Turns the events of one rank into changes of its part of the index: filters what is not its local main attention cache,
 * maps media to tiers, hashes the tokens, and hands a parent's cache namespace to its children. Learns which KV cache group
 * is of which kind from stores.
 */
export class KvEventNormalizer {
  readonly #blockSize: number;
  readonly #kindByGroup = new Map<number, string>();

  /** @param blockSize tokens in a block of the index; stores of another size are filtered */
  constructor(blockSize: number) {
    this.#blockSize = blockSize;
  }

  /** The change that an event makes. Events have to be given, and their changes made, in their order. */
  normalize(event: KvEvent, cacheSaltOf: CacheSaltLookup): IndexChange | FilteredEvent {
    if (event.kind === "ignored") return filtered("ignored_event");
    const foreign = ownershipReason(event.ownership);
    if (foreign !== undefined) return filtered(foreign);
    if (event.kind === "cleared") return { kind: "clear" };
    const tier = tierByMedium[event.medium?.toUpperCase() ?? ""];
    const reason = this.#scopeReason(event, tier);
    if (reason !== undefined || tier === undefined) return filtered(reason ?? "unknown_medium");
    if (event.kind === "removed") return { kind: "remove", blockHashes: event.blockHashes, tier };
    return this.#store(event, tier, cacheSaltOf);
  }

  #scopeReason(
    event: KvEventScope & { readonly kind: string },
    tier: StorageTier | undefined,
  ): FilterReason | undefined {
    if (event.locality !== undefined && event.locality.toUpperCase() !== "LOCAL") return "non_local_locality";
    if (tier === undefined) return "unknown_medium";
    // Lower tiers know no groups: their events are by hash only.
    if (tier !== "device" && tier !== "host_pinned") return undefined;
    return this.#attentionReason(event);
  }

  #attentionReason(event: KvEventScope & { readonly kind: string }): FilterReason | undefined {
    const { attentionKind, groupIndex } = event;
    if (attentionKind !== undefined) {
      if (event.kind === "stored" && groupIndex !== undefined) this.#kindByGroup.set(groupIndex, attentionKind);
      return kindReason(attentionKind, "non_main_attention_kind");
    }
    if (groupIndex === undefined) return undefined;
    const learned = this.#kindByGroup.get(groupIndex);
    if (learned !== undefined) return kindReason(learned, "non_main_attention_group");
    return groupIndex === 0 ? undefined : "unlearned_group_idx";
  }

  #store(event: StoredEvent, tier: StorageTier, cacheSaltOf: CacheSaltLookup): IndexChange | FilteredEvent {
    if (event.blockSize !== this.#blockSize) return filtered("block_size_mismatch");
    if (refersToItself(event)) return filtered("self_reference");
    const { parentHash, tokenIds, loraName, isEagle, blockMmInfos } = event;
    const cacheSalt = event.cacheSalt || (parentHash === undefined ? undefined : cacheSaltOf(parentHash));
    const blockSize = this.#blockSize;
    const local = hashLocalBlocks(tokenIds, { blockSize, loraName, cacheSalt, isEagle, blockMmInfos });
    const words = Math.min(event.blockHashes.length, local.length);
    return {
      kind: "store",
      blocks: {
        parentHash,
        blockHashes: event.blockHashes.subarray(0, words),
        localHashes: local.subarray(0, words),
        tier,
        cacheSalt,
      },
    };
  }
}

function filtered(reason: FilterReason): FilteredEvent {
  return { kind: "filtered", reason };
}

function ownershipReason(ownership: string | undefined): FilterReason | undefined {
  if (ownership === undefined || ownership.toLowerCase() === "framework") return undefined;
  return ownership.toLowerCase() === "kvcr" ? "unsupported_ownership" : "unknown_ownership";
}

function kindReason(kind: string, otherwise: FilterReason): FilterReason | undefined {
  if (mainAttentionKinds.has(kind)) return undefined;
  return otherAttentionKinds.has(kind) ? otherwise : "unknown_kind";
}

/** True when the run repeats a hash, or names one of its own as the block before it. */
function refersToItself(event: StoredEvent): boolean {
  const { blockHashes, parentHash } = event;
  // As signed integers, which the engine keeps unboxed.
  const lows = new Set<number>(parentHash === undefined ? [] : [parentHash.low | 0]);
  for (let at = 0; at < blockHashes.length; at += 2) {
    const low = (blockHashes[at] as number) | 0;
    if (!lows.has(low)) lows.add(low);
    else if (repeats(blockHashes, at, parentHash)) return true;
  }
  return false;
}

function repeats(blockHashes: Uint32Array, at: number, parentHash: U64 | undefined): boolean {
  const low = blockHashes[at];
  const high = blockHashes[at + 1];
  if (parentHash?.low === low && parentHash?.high === high) return true;
  for (let other = 0; other < at; other += 2) {
    if (blockHashes[other] === low && blockHashes[other + 1] === high) return true;
  }
  return false;
}
