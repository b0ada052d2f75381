export type { BlockHashes, BlockMmInfo, HashOptions } from "./block-hashes.ts";
export { chainHashes, fingerprint, hashBlocks, hashSeed, mediaHash, mediaPadTokenId } from "./block-hashes.ts";
export type { TokenChain } from "./chained-hashes.ts";
export { ChainHasher } from "./chained-hashes.ts";
export type { DumpedChange } from "./dump.ts";
export { restoreChange } from "./dump.ts";
export { decodeEventBatch, decodeSteps, KvEventDecodeError } from "./event-decoder.ts";
export type { CacheSaltLookup, EventEffect, FilteredEvent, FilterReason } from "./event-normalizer.ts";
export { KvEventNormalizer } from "./event-normalizer.ts";
export type { GuessedBlocksOptions, GuessLifetime } from "./guessed-blocks.ts";
export { GuessedBlocks } from "./guessed-blocks.ts";
export type { StorageTier } from "./held-blocks.ts";
export { blocksWithin } from "./index-memory.ts";
export type {
  ClearedEvent,
  DecodedBatch,
  IgnoredEvent,
  KvEvent,
  KvEventScope,
  RemovedEvent,
  SkipReason,
  StoredEvent,
} from "./kv-event.ts";
export { oneShotRandomBytes, oneShotSalt } from "./one-shot-salt.ts";
export type { TierOverlaps } from "./overlaps.ts";
export type { PrefixIndexOptions, PrefixIndexStats } from "./prefix-index.ts";
export { PrefixIndex } from "./prefix-index.ts";
export type { StoredBlocks } from "./stored-blocks.ts";
export type { StoredRun } from "./stored-run.ts";
export type { U64 } from "./xxh3.ts";
