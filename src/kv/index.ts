export type { BlockHashes, BlockMmInfo, HashOptions } from "./block-hashes.ts";
export { chainHashes, fingerprint, hashBlocks, hashSeed, mediaHash, mediaPadTokenId } from "./block-hashes.ts";
export type { StorageTier } from "./held-blocks.ts";
export type { TierOverlaps } from "./overlaps.ts";
export type { PrefixIndexOptions, PrefixIndexStats, StoredBlocks } from "./prefix-index.ts";
export { PrefixIndex } from "./prefix-index.ts";
export type { U64 } from "./xxh3.ts";
