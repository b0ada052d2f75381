/** Bytes of a block that a slot holds, of a distinct prefix, and of a prefix's place in lower tiers and its namespace. */
const holdingBytes = 32;
const prefixBytes = 44;
const tieredBytes = 8;
const namespaceBytes = 4;

/** Bytes of the sets of holders and the names of namespaces, at most, for each block that fits in. */
const setBytes = 8;
const leastSetBytes = 65_536;

/** Buckets of a table: as many as its records, rounded up to a power of two. */
function bucketBytes(blocks: number): number {
  return 4 * 2 ** Math.ceil(Math.log2(Math.max(1, blocks)));
}

/** What an index for so many blocks needs at the very most: nothing shared, every block in several tiers, all in namespaces. */
function mostBytes(blocks: number): number {
  const perBlock = holdingBytes + prefixBytes + tieredBytes + namespaceBytes;
  return blocks * perBlock + 2 * bucketBytes(blocks) + maxSetBytes(blocks);
}

/** Most memory of the sets of holders and the names of namespaces in an index for so many blocks, bytes. */
export function maxSetBytes(blocks: number): number {
  return Math.max(leastSetBytes, setBytes * blocks);
}

/** Blocks that fit into `bytes` of memory whatever they are, 1 to 2^26. */
export function blocksWithin(bytes: number): number {
  let low = 1;
  let high = 1 << 26;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (mostBytes(middle) <= bytes) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Memory that an index has touched for what it holds now, in bytes. */
export function usedBytes(index: {
  readonly maxBlocks: number;
  readonly holdings: number;
  readonly prefixes: number;
  readonly sets: number;
  readonly hasLevels: boolean;
  readonly hasNamespaces: boolean;
}): number {
  const perPrefix = prefixBytes + (index.hasLevels ? tieredBytes : 0) + (index.hasNamespaces ? namespaceBytes : 0);
  const buckets = index.holdings === 0 ? 0 : 2 * bucketBytes(index.maxBlocks);
  return index.holdings * holdingBytes + index.prefixes * perPrefix + index.sets + buckets;
}
