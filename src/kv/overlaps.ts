import type { BlockHashes } from "./block-hashes.ts";
import { type HeldBlocks, tierBits } from "./held-blocks.ts";
import type { PrefixTree } from "./prefix-tree.ts";

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

/**
 * Leading blocks that each slot reaches. The reached sets along a path only shrink, so a range of blocks whose two ends have
 * equal sets needs no look inside: O(log blocks) for each distinct answer.
 */
export function findOverlaps(tree: PrefixTree, hashes: BlockHashes, out: Int32Array): void {
  out.fill(0);
  const { count, sequence } = hashes;
  if (count === 0) return;
  const first = nodeAt(tree, sequence, 0);
  if (first === 0) return;
  const last = nodeAt(tree, sequence, count - 1);
  writeDepth(tree, last, 0, count, out);
  ranges.length = 0;
  ranges.push(first, 1, last, count);
  while (ranges.length > 0) {
    const highDepth = ranges.pop() as number;
    const high = ranges.pop() as number;
    const lowDepth = ranges.pop() as number;
    const low = ranges.pop() as number;
    if (low === high || hasSameReach(tree, low, high)) continue;
    if (highDepth - lowDepth === 1) {
      writeDepth(tree, low, high, lowDepth, out);
      continue;
    }
    const middleDepth = (lowDepth + highDepth) >>> 1;
    const middle = nodeAt(tree, sequence, middleDepth - 1);
    ranges.push(low, lowDepth, middle, middleDepth, middle, middleDepth, high, highDepth);
  }
}

/**
 * Continues `out.device`, which is given, into the lower tiers. O(blocks * holders) up to the first block that continues
 * nobody's run.
 */
export function findTierOverlaps(tree: PrefixTree, held: HeldBlocks, hashes: BlockHashes, out: TierOverlaps): void {
  const deepest = out.device.reduce((most, depth) => Math.max(most, depth), 0);
  for (let depth = 0; depth < hashes.count; depth++) {
    const node = nodeAt(tree, hashes.sequence, depth);
    if (node === 0) return;
    let hasAdvanced = false;
    for (let id = tree.firstHolding(node); id !== 0; id = held.nextOfNode(id)) {
      if (continueRun(held.slot(id), held.tiers(id), depth, out)) hasAdvanced = true;
    }
    if (!hasAdvanced && depth >= deepest) return;
  }
}

/** Counts block `depth` for `slot` when it is the next of the slot's run, in a tier that may follow. */
function continueRun(slot: number, tiers: number, depth: number, out: TierOverlaps): boolean {
  const { device, host, disk } = out;
  if (slot >= device.length) return false;
  const onDisk = disk[slot] as number;
  const length = (device[slot] as number) + (host[slot] as number) + onDisk;
  if (length === depth + 1 && onDisk === 1 && (tiers & tierBits.host_pinned) !== 0) {
    // Another holding of the same block, on disk, came first in the list.
    disk[slot] = 0;
    host[slot] = (host[slot] as number) + 1;
    return true;
  }
  if (length !== depth) return false;
  if (onDisk === 0 && (tiers & tierBits.host_pinned) !== 0) host[slot] = (host[slot] as number) + 1;
  else if ((tiers & (tierBits.disk | tierBits.external)) !== 0) disk[slot] = onDisk + 1;
  else return false;
  return true;
}

function nodeAt(tree: PrefixTree, sequence: Uint32Array, block: number): number {
  return tree.find(sequence[2 * block] as number, sequence[2 * block + 1] as number);
}

function hasSameReach(tree: PrefixTree, a: number, b: number): boolean {
  const { reached, stride } = tree;
  for (let word = 0; word < stride; word++) {
    if (reached[a * stride + word] !== reached[b * stride + word]) return false;
  }
  return true;
}

/** Writes `depth` for the slots that reach `node` and not `beyond`. */
function writeDepth(tree: PrefixTree, node: number, beyond: number, depth: number, out: Int32Array): void {
  const { reached, stride } = tree;
  for (let word = 0; word < stride; word++) {
    let bits = (reached[node * stride + word] as number) & ~(reached[beyond * stride + word] as number);
    while (bits !== 0) {
      const bit = 31 - Math.clz32(bits & -bits);
      bits &= bits - 1;
      const slot = word * 32 + bit;
      if (slot < out.length) out[slot] = depth;
    }
  }
}
