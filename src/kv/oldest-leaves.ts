import type { HeldBlocks } from "./held-blocks.ts";
import type { PrefixTree } from "./prefix-tree.ts";
import type { Reach } from "./reach.ts";

/** Blocks looked at for one eviction: bounds its time when nearly everything is an inner block. */
const evictionSteps = 4_096;

/** Finds what goes when an index is full: the oldest leaf of the holder with the most blocks. */
export class OldestLeaves {
  readonly #tree: PrefixTree;
  readonly #held: HeldBlocks;
  readonly #reach: Reach;
  /** By holder: where the next search goes on; 0 = at its oldest. */
  readonly #cursors: number[] = [];

  constructor(tree: PrefixTree, held: HeldBlocks, reach: Reach) {
    this.#tree = tree;
    this.#held = held;
    this.#reach = reach;
  }

  /** The holding to be dropped, or 0. Never one of the node `kept`. */
  next(kept: number): number {
    const held = this.#held;
    let largest = 0;
    for (let holder = 1; holder < held.holderCount; holder++) {
      if (held.countOf(holder) > held.countOf(largest)) largest = holder;
    }
    const leaf = this.#oldestOf(largest, kept);
    if (leaf !== 0) return leaf;
    // It may be the holder that stores, with nothing but the path to the new block.
    for (let holder = 0; holder < held.holderCount; holder++) {
      const other = held.countOf(holder) === 0 ? 0 : this.#oldestOf(holder, kept);
      if (other !== 0) return other;
    }
    return 0;
  }

  /** A holding is about to be dropped, for whatever reason. */
  onDrop(holder: number, holding: number): void {
    if (this.#cursors[holder] === holding) this.#cursors[holder] = this.#held.newerThan(holding);
  }

  /** Goes from the oldest holding to newer ones until it meets a leaf, and next time back from there towards the root. */
  #oldestOf(holder: number, kept: number): number {
    const held = this.#held;
    let holding = this.#cursors[holder] || held.oldestOf(holder);
    for (let step = 0; step < evictionSteps && holding !== 0; step++) {
      const node = held.node(holding);
      if (node !== kept && !this.#hasHeldChild(holder, node)) {
        this.#cursors[holder] = held.olderThan(holding);
        return holding;
      }
      holding = held.newerThan(holding) || held.oldestOf(holder);
    }
    this.#cursors[holder] = holding;
    return 0;
  }

  #hasHeldChild(holder: number, node: number): boolean {
    for (let child = this.#tree.firstChild(node); child !== 0; child = this.#tree.nextSibling(child)) {
      if (this.#reach.isHeld(child, holder)) return true;
    }
    return false;
  }
}
