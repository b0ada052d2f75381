import type { StorageTier } from "./held-blocks.ts";
import type { KvEvent, KvEventScope, StoredEvent } from "./kv-event.ts";
import { isOneShotSalt } from "./one-shot-salt.ts";
import { hasRepeatedHash } from "./repeated-hashes.ts";
import { StoredRun } from "./stored-run.ts";
import type { U64 } from "./xxh3.ts";

/**
 * Why an event does not change the index. Labels as Dynamo's (dynamo@1.6.1 `ZmqEventFilterReason`), but for its
 * `ambiguous_cache_namespace`, since the index believes the newest content of a hash, and for the last three, which are ours.
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
  | "self_reference"
  | "one_shot_namespace";

/** What an event does to the index. */
export type EventEffect =
  | { readonly kind: "store"; readonly run: StoredRun }
  /** Blocks that are held come into one more tier, or are held once more. */
  | { readonly kind: "add_tier"; readonly blockHashes: Uint32Array; readonly tier: StorageTier }
  | { readonly kind: "remove"; readonly blockHashes: Uint32Array; readonly tier: StorageTier }
  | { readonly kind: "clear" }
  | FilteredEvent;

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

/** Most cache groups of an engine whose kind is remembered. */
const maxGroups = 1_024;

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

  /** What an event does. Events have to be given, and their changes made, in their order. */
  normalize(event: KvEvent, cacheSaltOf: CacheSaltLookup): EventEffect {
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
      if (event.kind === "stored" && groupIndex !== undefined) this.#learn(groupIndex, attentionKind);
      return kindReason(attentionKind, "non_main_attention_kind");
    }
    if (groupIndex === undefined) return undefined;
    const learned = this.#kindByGroup.get(groupIndex);
    if (learned !== undefined) return kindReason(learned, "non_main_attention_group");
    return groupIndex === 0 ? undefined : "unlearned_group_idx";
  }

  #learn(groupIndex: number, attentionKind: string): void {
    if (this.#kindByGroup.size >= maxGroups && !this.#kindByGroup.has(groupIndex)) return;
    this.#kindByGroup.set(groupIndex, attentionKind);
  }

  #store(event: StoredEvent, tier: StorageTier, cacheSaltOf: CacheSaltLookup): EventEffect {
    const { blockHashes, parentHash } = event;
    // Engines with offloading tell of a block that moves by its hash alone, without tokens and with any block size.
    if (event.tokenIds.length === 0 && blockHashes.length > 0) return { kind: "add_tier", blockHashes, tier };
    if (event.blockSize !== this.#blockSize) return filtered("block_size_mismatch");
    if (hasRepeatedHash(blockHashes, parentHash)) return filtered("self_reference");
    const cacheSalt = event.cacheSalt || (parentHash === undefined ? undefined : cacheSaltOf(parentHash));
    // Nobody will look for these blocks again: they would only take the room of others.
    if (cacheSalt !== undefined && isOneShotSalt(cacheSalt)) return filtered("one_shot_namespace");
    return { kind: "store", run: new StoredRun(event, tier, cacheSalt) };
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
