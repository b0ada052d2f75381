import { HeldBlocks, tierBits } from "./held-blocks.ts";
import { Holders } from "./holders.ts";
import { maxSetBytes, usedBytes } from "./index-memory.ts";
import { Namespaces } from "./namespaces.ts";
import { OldestLeaves } from "./oldest-leaves.ts";
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
  /** How often it is in device memory beyond the first time, when stores are counted. */
  extras: number;
  /** Whether a store of a block that is in device memory already is one more copy. */
  isCounted: boolean;
  cacheSalt: string | undefined;
}

/** What counts of a block that is stored again. */
export type StoredAgain = Pick<Placement, "localLow" | "localHigh" | "tiers" | "extras" | "isCounted">;

/** Blocks that one change may spread to at once; the rest follows with the next changes. */
const spreadSteps = 4_096;

/** Blocks of parted holders that are forgotten with each change, beside twice the change itself. */
const sweptBlocks = 64;

/** The tree of prefixes and what each holder has of it, kept consistent, within one bound. */
export class PrefixHoldings {
  readonly tree: PrefixTree;
  readonly held: HeldBlocks;
  readonly reach: Reach;
  readonly holders = new Holders();
  readonly #namespaces: Namespaces;
  readonly maxBlocks: number;
  readonly #maxSetBytes: number;
  readonly #oldestLeaves: OldestLeaves;
  /** By holder: blocks that it has under more than one hash, counted without the first. */
  readonly #twins: number[] = [];
  readonly #forget = (node: number): void => {
    this.#namespaces.release(node);
    this.reach.forget(node);
  };
  /** By slot. */
  readonly #conflicts: number[] = [];
  evictedBlocks = 0;
  conflicts = 0;

  /** @param maxBlocks most holdings, and most nodes */
  constructor(maxBlocks: number) {
    this.tree = new PrefixTree(maxBlocks);
    this.held = new HeldBlocks(maxBlocks);
    this.reach = new Reach(this.tree, this.held, maxBlocks);
    this.#oldestLeaves = new OldestLeaves(this.tree, this.held, this.reach);
    this.#namespaces = new Namespaces(maxBlocks);
    this.maxBlocks = maxBlocks;
    this.#maxSetBytes = maxSetBytes(maxBlocks);
  }

  /** Holder of a slot, made when it has none. Throws RangeError for a number that is no slot. */
  takeHolder(slot: number): number {
    const holder = this.holders.take(slot);
    this.held.reserveHolder(holder);
    return holder;
  }

  /** Blocks that slots hold: those of parted holders do not count. */
  get count(): number {
    let leaving = 0;
    for (const holder of this.holders.leaving) leaving += this.held.countOf(holder);
    return this.held.count - leaving;
  }

  /** Memory of all that is held, bytes. */
  get usedBytes(): number {
    return usedBytes({
      maxBlocks: this.maxBlocks,
      holdings: this.held.count,
      prefixes: this.tree.count,
      sets: this.reach.sets.bytes + this.#namespaces.bytes,
      hasLevels: this.reach.hasLevels,
      hasNamespaces: this.#namespaces.isUsed,
    });
  }

  /** Brings near what placing these blocks will read. */
  prefetch(holder: number, blockHashes: Uint32Array, sequence: Uint32Array): void {
    this.held.prefetch(holder, blockHashes);
    this.tree.prefetch(sequence);
  }

  /** A hash of this holder stands for another content than it did, or for none. */
  noteConflict(holder: number): void {
    this.conflicts++;
    const slot = this.holders.slots[holder] ?? -1;
    if (slot >= 0) this.#conflicts[slot] = this.conflictsOf(slot) + 1;
  }

  conflictsOf(slot: number): number {
    return this.#conflicts[slot] ?? 0;
  }

  /** Node of a block that a holder has under its engine's hash, or 0. */
  nodeOf(holder: number, hash: U64): number {
    const holding = this.held.find(holder, hash.low, hash.high);
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
   * Records that a holder has a block under `parent` (0 = first block), a node that it has by another engine hash.
   * Returns the block's node, or 0 when there is no room.
   */
  place(holder: number, block: Placement, parent: number): number {
    const { held, tree } = this;
    const holding = held.find(holder, block.low, block.high);
    let node = this.#childOf(parent, block);
    if (holding !== 0 && held.node(holding) === node) {
      this.#store(holding, block);
      return node;
    }
    if (holding !== 0) {
      this.noteConflict(holder);
      this.setTiers(holding, 0);
      node = this.#childOf(parent, block);
    }
    if (this.#isFull()) {
      if (!this.#makeRoom(parent)) return 0;
      // What was dropped to make room may have taken this node with it.
      node = this.#childOf(parent, block);
    }
    if (node === 0) node = this.#addNode(block, parent);
    // Two engine hashes of one holder may stand for the same content.
    const twin = this.reach.mayBeHeld(holder, node) ? this.reach.tiersOf(node, holder) : 0;
    if (twin !== 0) this.#twins[holder] = (this.#twins[holder] ?? 0) + 1;
    const added = held.add(holder, block.low, block.high, node);
    held.setNextOfNode(added, tree.firstHolding(node));
    tree.setFirstHolding(node, added);
    held.setTiers(added, block.tiers);
    if (block.extras > 0) held.setExtras(added, block.extras);
    if ((twin | block.tiers) !== twin) this.reach.update(holder, node, twin | block.tiers, twin !== 0);
    return node;
  }

  /**
   * A held block was stored again under a parent that its holder does not have. Returns false, having dropped it, when it is
   * not the content that was held.
   */
  reaffirm(holding: number, block: StoredAgain): boolean {
    const node = this.held.node(holding);
    if (this.tree.localLow(node) === block.localLow && this.tree.localHigh(node) === block.localHigh) {
      this.#store(holding, block);
      return true;
    }
    this.noteConflict(this.held.holder(holding));
    this.setTiers(holding, 0);
    return false;
  }

  /** A block that is held is stored once more, in these tiers. */
  #store(holding: number, block: StoredAgain): void {
    const { held } = this;
    const tiers = held.tiers(holding);
    held.touch(holding);
    if (block.isCounted && (tiers & block.tiers & tierBits.device) !== 0) {
      held.setExtras(holding, held.extras(holding) + 1 + block.extras);
    }
    if ((tiers | block.tiers) !== tiers) this.setTiers(holding, tiers | block.tiers);
  }

  /** Adds a tier to a block that is held; counts one more copy in device memory. */
  addTier(holding: number, bit: number): void {
    const { held } = this;
    const tiers = held.tiers(holding);
    if ((tiers & bit) === 0) this.setTiers(holding, tiers | bit);
    else if (bit === tierBits.device) held.setExtras(holding, held.extras(holding) + 1);
  }

  /** Takes a block out of a tier, or one of several copies in device memory. */
  removeTier(holding: number, bit: number): void {
    const { held } = this;
    const extras = bit === tierBits.device ? held.extras(holding) : 0;
    if (extras > 0) held.setExtras(holding, extras - 1);
    else this.setTiers(holding, held.tiers(holding) & ~bit);
  }

  /** Changes where a holder has a block; in no tier = it no longer has it. */
  setTiers(holding: number, tiers: number): void {
    const { held, tree } = this;
    const before = held.tiers(holding);
    const holder = held.holder(holding);
    const node = held.node(holding);
    held.setTiers(holding, 0);
    const others = (this.#twins[holder] ?? 0) > 0 ? this.reach.tiersOf(node, holder) : 0;
    held.setTiers(holding, tiers);
    if ((before | others) !== (tiers | others)) this.reach.update(holder, node, tiers | others, true);
    if (tiers !== 0) return;
    if (others !== 0) this.#twins[holder] = (this.#twins[holder] as number) - 1;
    this.#oldestLeaves.onDrop(holder, holding);
    this.#unlink(holding, node);
    held.delete(holding);
    tree.prune(node, this.#forget);
  }

  /** Parts a slot from all that it holds, at once; `sweep` forgets it. */
  clearSlot(slot: number): void {
    const holder = this.holders.of(slot);
    if (holder >= 0 && this.held.countOf(holder) > 0) this.holders.part(slot);
  }

  /** After a change of that many blocks: lets it spread, and does some of the work that was put off. */
  finish(blocks: number): void {
    if (this.reach.settle(spreadSteps) && this.holders.leaving.length > 0) this.sweep(sweptBlocks + 2 * blocks);
  }

  /**
   * Does up to `steps` of the work that was put off: lets changes spread, and forgets blocks of parted holders, the newest first.
   * Returns whether none is left.
   */
  sweep(steps: number): boolean {
    if (!this.reach.settle(steps)) return false;
    for (let done = 0; done < steps; done++) {
      const holder = this.holders.leaving[0];
      if (holder === undefined) return true;
      const holding = this.held.newestOf(holder);
      if (holding === 0) this.holders.release();
      else this.setTiers(holding, 0);
    }
    return this.holders.leaving.length === 0;
  }

  /** The block behind `parent` with that sequence hash, or 0. */
  #childOf(parent: number, block: Placement): number {
    const { tree } = this;
    // Nothing is behind a block that was new itself: most of a run needs no search.
    if (parent !== 0 && tree.firstChild(parent) === 0) return 0;
    return tree.find(block.sequenceLow, block.sequenceHigh);
  }

  #addNode(block: Placement, parent: number): number {
    const node = this.tree.add(block.sequenceLow, block.sequenceHigh, parent);
    this.tree.setLocal(node, block.localLow, block.localHigh);
    if (block.cacheSalt !== undefined && block.cacheSalt !== "") this.#namespaces.set(node, block.cacheSalt);
    return node;
  }

  #unlink(holding: number, node: number): void {
    const next = this.held.nextOfNode(holding);
    let before = this.tree.firstHolding(node);
    if (before === holding) {
      this.tree.setFirstHolding(node, next);
      return;
    }
    while (this.held.nextOfNode(before) !== holding) before = this.held.nextOfNode(before);
    this.held.setNextOfNode(before, next);
  }

  #isFull(): boolean {
    const { held, tree, reach } = this;
    return held.isFull || tree.isFull || reach.sets.bytes + this.#namespaces.bytes > this.#maxSetBytes;
  }

  /** Forgets the oldest leaves until one holding and one node fit, but not the node `kept`. Returns whether they fit. */
  #makeRoom(kept: number): boolean {
    while (this.#isFull()) {
      if (this.holders.leaving.length > 0) {
        this.sweep(spreadSteps);
        continue;
      }
      const holding = this.#oldestLeaves.next(kept);
      if (holding === 0) return false;
      this.setTiers(holding, 0);
      this.evictedBlocks++;
    }
    return true;
  }
}
