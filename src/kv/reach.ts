import { type HeldBlocks, tierBits } from "./held-blocks.ts";
import type { PrefixTree } from "./prefix-tree.ts";

/**
 * Keeps the reached sets of the tree: a slot reaches a node when it holds it and everything before it in device memory.
 * Usually one bit a change; only filling or tearing a hole walks the blocks behind it.
 */
export class Reach {
  readonly #tree: PrefixTree;
  readonly #held: HeldBlocks;
  /** Nodes that the slot holds but does not reach. While there are none, a store need not look for blocks behind it. */
  readonly #unreached: number[] = [];
  readonly #stack: number[] = [];

  constructor(tree: PrefixTree, held: HeldBlocks) {
    this.#tree = tree;
    this.#held = held;
  }

  /** `slot` has just begun to hold `node` in device memory. */
  hold(slot: number, node: number): void {
    const tree = this.#tree;
    const parent = tree.parent(node);
    if (parent !== 0 && !tree.isReached(parent, slot)) {
      this.#unreached[slot] = (this.#unreached[slot] ?? 0) + 1;
      return;
    }
    tree.setReached(node, slot);
    if ((this.#unreached[slot] ?? 0) > 0) this.#reachBehind(slot, node);
  }

  /** `slot` has just ceased to hold `node` in device memory. */
  drop(slot: number, node: number): void {
    const tree = this.#tree;
    if (!tree.isReached(node, slot)) {
      this.#unreached[slot] = (this.#unreached[slot] ?? 0) - 1;
      return;
    }
    tree.clearReached(node, slot);
    const stack = this.#stack;
    stack.push(node);
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      for (let child = tree.firstChild(top); child !== 0; child = tree.nextSibling(child)) {
        if (!tree.isReached(child, slot)) continue;
        tree.clearReached(child, slot);
        this.#unreached[slot] = (this.#unreached[slot] ?? 0) + 1;
        stack.push(child);
      }
    }
  }

  /** True when `slot` holds `node` in device memory. O(1) while the slot reaches all that it holds. */
  isHeldOnDevice(slot: number, node: number): boolean {
    if (this.#tree.isReached(node, slot)) return true;
    return (this.#unreached[slot] ?? 0) > 0 && this.hasDeviceHolding(slot, node);
  }

  /** True when a holding of `slot` at `node` says device memory. O(holdings of the node). */
  hasDeviceHolding(slot: number, node: number): boolean {
    const held = this.#held;
    for (let id = this.#tree.firstHolding(node); id !== 0; id = held.nextOfNode(id)) {
      if (held.slot(id) === slot && (held.tiers(id) & tierBits.device) !== 0) return true;
    }
    return false;
  }

  #reachBehind(slot: number, node: number): void {
    const tree = this.#tree;
    const stack = this.#stack;
    stack.push(node);
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      for (let child = tree.firstChild(top); child !== 0; child = tree.nextSibling(child)) {
        if (tree.isReached(child, slot) || !this.isHeldOnDevice(slot, child)) continue;
        tree.setReached(child, slot);
        this.#unreached[slot] = (this.#unreached[slot] ?? 0) - 1;
        stack.push(child);
      }
    }
  }
}
