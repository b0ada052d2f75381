import type { BlockMmInfo } from "./block-hashes.ts";
import type { U64 } from "./xxh3.ts";

/** What an event says about the part of the cache it speaks of; undefined = not said. */
export interface KvEventScope {
  readonly medium: string | undefined;
  /** KV cache group of a hybrid model. */
  readonly groupIndex: number | undefined;
  /** Kind of attention of that group, as the engine names it. */
  readonly attentionKind: string | undefined;
  readonly locality: string | undefined;
  readonly ownership: string | undefined;
}

/** The engine has stored a run of blocks. */
export interface StoredEvent extends KvEventScope {
  readonly kind: "stored";
  /** The engine's hashes, two u32 a block, low first; a hash of bytes counts by its last eight, big-endian. */
  readonly blockHashes: Uint32Array;
  readonly parentHash: U64 | undefined;
  readonly tokenIds: Uint32Array;
  /** True when the tokens came as pairs: each block then has the first token of the next as well. */
  readonly isEagle: boolean;
  /** Tokens in a block, by the engine. */
  readonly blockSize: number;
  readonly loraName: string | undefined;
  /** Cache namespace that the event itself names. */
  readonly cacheSalt: string | undefined;
  readonly blockMmInfos: readonly (BlockMmInfo | undefined)[] | undefined;
}

/** The engine has dropped blocks. */
export interface RemovedEvent extends KvEventScope {
  readonly kind: "removed";
  readonly blockHashes: Uint32Array;
}

/** The engine has dropped everything. */
export interface ClearedEvent {
  readonly kind: "cleared";
  readonly ownership: string | undefined;
}

/** The engine marks the event as one to pass over. */
export interface IgnoredEvent {
  readonly kind: "ignored";
}

export type KvEvent = StoredEvent | RemovedEvent | ClearedEvent | IgnoredEvent;

/** Why one event of a batch was passed over in decoding. */
export type SkipReason = "unknown_event" | "malformed_event";

/** One message of an engine's event stream. */
export interface DecodedBatch {
  /** The engine's clock, seconds. */
  readonly timestamp: number;
  /** Rank that the events are of; undefined = that of the stream. */
  readonly dataParallelRank: number | undefined;
  readonly events: readonly KvEvent[];
  /** Events passed over, by reason. */
  readonly skipped: Readonly<Record<SkipReason, number>>;
}
