import type { BlockHashes } from "./block-hashes.ts";
import type { PrefixHoldings } from "./prefix-holdings.ts";
import type { PrefixTree } from "./prefix-tree.ts";
import { type RunLevel, runLevels } from "./reach.ts";

/** Leading blocks of a prompt per slot and tier; each array is indexed by slot and of the same length. */
export interface TierOverlaps {
  /** Leading blocks in device memory. */
  readonly device: Int32Array;
  /** Blocks in host memory that continue the device's. */
  readonly host: Int32Array;
  /** Blocks on disk, or in an external store, that continue the host's. */
  readonly disk: Int32Array;
}

// Pending ranges of one search: node, depth, node, depth. No search waits, so one stack serves all.
const ranges: number[] = [];

/** Leading blocks of each slot in device memory. O(log blocks) for each distinct answer. */
export function findOverlaps(holdings: PrefixHoldings, hashes: BlockHashes, out: Int32Array): void {
  findRuns(holdings, hashes, runLevels.device, out);
}

/** As `findOverlaps`, and how the runs go on in lower tiers. */
export function findTierOverlaps(holdings: PrefixHoldings, hashes: BlockHashes, out: TierOverlaps): void {
  const { device, host, disk } = out;
  findRuns(holdings, hashes, runLevels.device, device);
  if (!holdings.reach.hasLevels) {
    host.fill(0);
    disk.fill(0);
    return;
  }
  findRuns(holdings, hashes, runLevels.host, host);
  findRuns(holdings, hashes, runLevels.disk, disk);
  for (let slot = 0; slot < device.length; slot++) {
    disk[slot] = (disk[slot] as number) - (host[slot] as number);
    host[slot] = (host[slot] as number) - (device[slot] as number);
  }
}

/**
 * How far each slot's run goes. The sets along a path only shrink, so a range of blocks whose two ends have equal sets needs no
 * look inside.
 */
function findRuns(holdings: PrefixHoldings, hashes: BlockHashes, level: RunLevel, out: Int32Array): void {
  out.fill(0);
  const { count, sequence } = hashes;
  if (count === 0) return;
  const { tree, reach } = holdings;
  const first = nodeAt(tree, sequence, 0);
  if (first === 0) return;
  const last = nodeAt(tree, sequence, count - 1);
  writeDepth(holdings, reach.setOf(last, level), 0, count, out);
  ranges.length = 0;
  ranges.push(reach.setOf(first, level), 1, reach.setOf(last, level), count);
  while (ranges.length > 0) {
    const highDepth = ranges.pop() as number;
    const high = ranges.pop() as number;
    const lowDepth = ranges.pop() as number;
    const low = ranges.pop() as number;
    if (low === high) continue;
    if (highDepth - lowDepth === 1) {
      writeDepth(holdings, low, high, lowDepth, out);
      continue;
    }
    const middleDepth = (lowDepth + highDepth) >>> 1;
    const middle = reach.setOf(nodeAt(tree, sequence, middleDepth - 1), level);
    ranges.push(low, lowDepth, middle, middleDepth, middle, middleDepth, high, highDepth);
  }
}

function nodeAt(tree: PrefixTree, sequence: Uint32Array, block: number): number {
  return tree.find(sequence[2 * block] as number, sequence[2 * block + 1] as number);
}

/** Writes `depth` for the slots whose holders are in `set` and not in `beyond`. */
function writeDepth(
  { reach, holders }: PrefixHoldings,
  set: number,
  beyond: number,
  depth: number,
  out: Int32Array,
): void {
  const { slots } = holders;
  const words = reach.sets.bitsOf(set);
  const beyondWords = reach.sets.bitsOf(beyond);
  for (let word = 0; word < words.length; word++) {
    let bits = (words[word] as number) & ~(beyondWords[word] ?? 0);
    while (bits !== 0) {
      const slot = slots[word * 32 + 31 - Math.clz32(bits & -bits)] as number;
      bits &= bits - 1;
      if (slot >= 0 && slot < out.length) out[slot] = depth;
    }
  }
}
