export type { BlockHashes, BlockMmInfo, HashOptions } from "./block-hashes.ts";
export { chainHashes, fingerprint, hashBlocks, hashSeed, mediaHash, mediaPadTokenId } from "./block-hashes.ts";
export type { U64 } from "./xxh3.ts";
