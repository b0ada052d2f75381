import { HeldBlocks, maxSlots, tierBits } from "./held-blocks.ts";
import { Namespaces } from "./namespaces.ts";
import { PrefixTree } from "./prefix-tree.ts";
import { Reach } from "./reach.ts";
import type { U64 } from "./xxh3.ts";

/** A block to record: plain numbers, one object reused by its owner. */
export interface Placement {
  /** The engine's own hash. */
  low: number;
  high: number;
  /** Our hash of the block's own tokens. */
  localLow: number;
  localHigh: number;
  /** Our sequence hash. */
  sequenceLow: number;
  sequenceHigh: number;
  tiers: number;
  cacheSalt: string | undefined;
}

/** Holdings looked at for one eviction: bounds its time when nearly everything is an inner block. */
const evictionSteps = 4_096;

/** The tree of prefixes and what each slot holds of it, kept consistent, within one bound. */
export class PrefixHoldings {
  readonly tree: PrefixTree;
  readonly held: HeldBlocks;
  readonly #namespaces: Namespaces;
  readonly #reach: Reach;
  /** Where the next eviction of a slot goes on; 0 = at its oldest. */
  readonly #cursors: number[] = [];
  readonly #forget = (node: number): void => this.#namespaces.release(node);
  lowerTierHoldings = 0;
  evictedBlocks = 0;
  conflicts = 0;

  /** @param maxBlocks most holdings, and most nodes */
  constructor(maxBlocks: number) {
    this.tree = new PrefixTree(maxBlocks);
    this.held = new HeldBlocks(maxBlocks);
    this.#namespaces = new Namespaces(maxBlocks);
    this.#reach = new Reach(this.tree, this.held);
  }

  /** Throws RangeError when `slot` is not an integer from 0 to 2^24 - 1. */
  reserveSlot(slot: number): void {
    if (slot < this.held.slotCount && slot >= 0) return;
    if (!(Number.isInteger(slot) && slot >= 0 && slot < maxSlots)) throw new RangeError(`not a slot: ${slot}`);
    this.held.reserveSlot(slot);
    this.tree.reserveSlot(slot);
  }

  /** Node of a block that `slot` holds under its engine's hash, or 0. */
  nodeOf(slot: number, hash: U64): number {
    const holding = this.held.find(slot, hash.low, hash.high);
    return holding === 0 ? 0 : this.held.node(holding);
  }

  sequenceHashOf(node: number): U64 {
    return { low: this.tree.keyLow(node), high: this.tree.keyHigh(node) };
  }

  /** Cache namespace of a node; undefined = none, or not known. */
  namespaceOf(node: number): string | undefined {
    return this.#namespaces.get(node);
  }

  /**
   * Records that `slot` holds a block under `parent` (0 = first block), a node that it holds by another engine hash.
   * Returns the block's node, or 0 when there is no room.
   */
  place(slot: number, block: Placement, parent: number): number {
    let holding = this.held.find(slot, block.low, block.high);
    let node = this.tree.find(block.sequenceLow, block.sequenceHigh);
    if (holding !== 0 && this.held.node(holding) !== node) {
      this.conflicts++;
      this.setTiers(holding, 0);
      holding = 0;
      node = this.tree.find(block.sequenceLow, block.sequenceHigh);
    }
    if (holding !== 0) {
      this.held.touch(holding);
      this.setTiers(holding, this.held.tiers(holding) | block.tiers);
      return node;
    }
    if (this.held.isFull || this.tree.isFull) {
      if (!this.#makeRoom(parent)) return 0;
      // What was dropped to make room may have taken this node with it.
      node = this.tree.find(block.sequenceLow, block.sequenceHigh);
    }
    if (node === 0) node = this.#addNode(block, parent);
    holding = this.held.add(slot, block.low, block.high, node);
    this.held.setNextOfNode(holding, this.tree.firstHolding(node));
    this.tree.setFirstHolding(node, holding);
    this.setTiers(holding, block.tiers);
    return node;
  }

  /**
   * A held block was stored again under a parent that its slot does not hold. Returns false, having dropped it, when it is
   * not the content that was held.
   */
  reaffirm(holding: number, local: U64, tiers: number): boolean {
    const node = this.held.node(holding);
    if (this.tree.localLow(node) !== local.low || this.tree.localHigh(node) !== local.high) {
      this.conflicts++;
      this.setTiers(holding, 0);
      return false;
    }
    this.held.touch(holding);
    this.setTiers(holding, this.held.tiers(holding) | tiers);
    return true;
  }

  /** Changes where a slot keeps a block; in no tier = it no longer holds it. */
  setTiers(holding: number, tiers: number): void {
    const before = this.held.tiers(holding);
    const slot = this.held.slot(holding);
    const node = this.held.node(holding);
    const wasOnDevice = (before & tierBits.device) !== 0;
    const isOnDevice = (tiers & tierBits.device) !== 0;
    // Two engine hashes of one slot may stand for the same content: only the first and the last of them count.
    if (isOnDevice && !wasOnDevice && !this.#reach.isHeldOnDevice(slot, node)) this.#reach.hold(slot, node);
    this.held.setTiers(holding, tiers);
    if (wasOnDevice && !isOnDevice && !this.#reach.hasDeviceHolding(slot, node)) this.#reach.drop(slot, node);
    this.lowerTierHoldings += Number(tiers > tierBits.device) - Number(before > tierBits.device);
    if (tiers === 0) this.#drop(holding, node, slot);
  }

  /**
   * Drops up to `maxBlocks` holdings of `slot`, the newest first, so that no hole is torn. Returns whether none is left.
   */
  clearSlot(slot: number, maxBlocks: number): boolean {
    for (let done = 0; done < maxBlocks; done++) {
      const holding = this.held.newestOf(slot);
      if (holding === 0) break;
      this.setTiers(holding, 0);
    }
    return this.held.countOf(slot) === 0;
  }

  #addNode(block: Placement, parent: number): number {
    const node = this.tree.add(block.sequenceLow, block.sequenceHigh, parent);
    this.tree.setLocal(node, block.localLow, block.localHigh);
    if (block.cacheSalt !== undefined && block.cacheSalt !== "") this.#namespaces.set(node, block.cacheSalt);
    return node;
  }

  #drop(holding: number, node: number, slot: number): void {
    if (this.#cursors[slot] === holding) this.#cursors[slot] = this.held.newerThan(holding);
    const next = this.held.nextOfNode(holding);
    let before = this.tree.firstHolding(node);
    if (before === holding) {
      this.tree.setFirstHolding(node, next);
    } else {
      while (this.held.nextOfNode(before) !== holding) before = this.held.nextOfNode(before);
      this.held.setNextOfNode(before, next);
    }
    this.held.delete(holding);
    this.tree.prune(node, this.#forget);
  }

  /** Evicts until one holding and one node fit. Never the node `kept`. Returns whether they fit. */
  #makeRoom(kept: number): boolean {
    while (this.held.isFull || this.tree.isFull) {
      let largest = 0;
      for (let slot = 1; slot < this.held.slotCount; slot++) {
        if (this.held.countOf(slot) > this.held.countOf(largest)) largest = slot;
      }
      if (!this.#evictOldestLeaf(largest, kept) && !this.#evictAnyLeaf(kept)) return false;
    }
    return true;
  }

  /** The slot with the most blocks may be the one that stores, with nothing but the path to the new block. */
  #evictAnyLeaf(kept: number): boolean {
    for (let slot = 0; slot < this.held.slotCount; slot++) {
      if (this.held.countOf(slot) > 0 && this.#evictOldestLeaf(slot, kept)) return true;
    }
    return false;
  }

  /** Goes from the oldest holding to newer ones until it meets a leaf, and next time back from there towards the root. */
  #evictOldestLeaf(slot: number, kept: number): boolean {
    let holding = this.#cursors[slot] || this.held.oldestOf(slot);
    for (let step = 0; step < evictionSteps && holding !== 0; step++) {
      const node = this.held.node(holding);
      if (node !== kept && !this.#hasHeldChild(slot, node)) {
        this.#cursors[slot] = this.held.olderThan(holding);
        this.setTiers(holding, 0);
        this.evictedBlocks++;
        return true;
      }
      holding = this.held.newerThan(holding) || this.held.oldestOf(slot);
    }
    this.#cursors[slot] = holding;
    return false;
  }

  #hasHeldChild(slot: number, node: number): boolean {
    for (let child = this.tree.firstChild(node); child !== 0; child = this.tree.nextSibling(child)) {
      if (this.tree.isReached(child, slot)) return true;
      for (let id = this.tree.firstHolding(child); id !== 0; id = this.held.nextOfNode(id)) {
        if (this.held.slot(id) === slot) return true;
      }
    }
    return false;
  }
}
