import { type BlockHashes, chainHashes } from "./block-hashes.ts";
import { type DumpedChange, dumpChanges } from "./dump.ts";
import type { GuessedBlocks } from "./guessed-blocks.ts";
import { type StorageTier, tierBits } from "./held-blocks.ts";
import { findOverlaps, findTierOverlaps, type TierOverlaps } from "./overlaps.ts";
import { type Placement, PrefixHoldings } from "./prefix-holdings.ts";
import type { StoredBlocks } from "./stored-blocks.ts";
import { isOwnParent, WaitingBlocks } from "./waiting-blocks.ts";
import type { U64 } from "./xxh3.ts";

export interface PrefixIndexOptions {
  /** Tokens in a block, for the caller's use. */
  readonly blockSize: number;
  /**
   * Most blocks held, summed over all slots; also the most distinct prefixes (`blocksWithin` says what fits into a number of
   * bytes). When full, the oldest leaves of the slot with the most blocks are forgotten. Default 4,194,304.
   */
  readonly maxBlocks?: number;
  /** Most blocks a slot that wait for an unknown parent; beyond it the oldest are dropped. Default 16,384. */
  readonly maxOrphans?: number;
  /** Asked as well, and told what events say. Absent = only events count. */
  readonly guesses?: GuessedBlocks | undefined;
}

/** Counts since the start, unless the name says otherwise. */
export interface PrefixIndexStats {
  /** Blocks held at present, summed over slots. */
  readonly blocks: number;
  /** Most of them. */
  readonly maxBlocks: number;
  /** Distinct prefixes at present, holes included. */
  readonly prefixes: number;
  /** Blocks that wait for their parents at present. */
  readonly orphans: number;
  /** Memory of all that is held, in bytes; blocks that wait for their parents are not counted. */
  readonly usedBytes: number;
  /** Blocks forgotten because the index was full. */
  readonly evictedBlocks: number;
  /** Blocks not stored because the index was full and nothing could be evicted. */
  readonly refusedBlocks: number;
  readonly droppedOrphans: number;
  /** Blocks put into a lower tier by their hash alone that the slot was not known to hold. */
  readonly unknownAdditions: number;
  /** Removals of blocks that the slot did not hold. */
  readonly unknownRemovals: number;
  /** Stores of a known engine hash with another content: the newer one counts. */
  readonly conflicts: number;
}

/**
 * Who holds which prefix. Engines name blocks by hashes of their own that need not agree between processes, so each slot
 * maps its engine's hashes to nodes, and the nodes, named by our sequence hash, are shared by all slots. A removed block
 * in mid-chain leaves a hole that a later store fills again; a child that comes before its parent waits for it. A slot is a
 * small dense integer that stands for one rank of one worker.
 */
export class PrefixIndex {
  readonly blockSize: number;
  readonly #holdings: PrefixHoldings;
  readonly #waiting: WaitingBlocks;
  readonly #guesses: GuessedBlocks | undefined;
  readonly #block: Placement = {
    low: 0,
    high: 0,
    localLow: 0,
    localHigh: 0,
    sequenceLow: 0,
    sequenceHigh: 0,
    tiers: 0,
    extras: 0,
    isCounted: false,
    cacheSalt: undefined,
  };
  #refusedBlocks = 0;
  #unknownRemovals = 0;
  #unknownAdditions = 0;

  /** Throws RangeError for a bad option. */
  constructor(options: PrefixIndexOptions) {
    const { blockSize, maxBlocks = 4_194_304, maxOrphans = 16_384 } = options;
    if (!(Number.isInteger(blockSize) && blockSize > 0))
      throw new RangeError(`blockSize must be > 0, got ${blockSize}`);
    if (!(Number.isInteger(maxBlocks) && maxBlocks > 0 && maxBlocks <= 1 << 26)) {
      throw new RangeError(`maxBlocks must be an integer from 1 to 2^26, got ${maxBlocks}`);
    }
    if (!(maxOrphans >= 0)) throw new RangeError(`maxOrphans must be >= 0, got ${maxOrphans}`);
    this.blockSize = blockSize;
    this.#holdings = new PrefixHoldings(maxBlocks);
    this.#waiting = new WaitingBlocks(this.#holdings, maxOrphans);
    this.#guesses = options.guesses;
  }

  /** What is guessed beside what events say; undefined = nothing is. */
  get guesses(): GuessedBlocks | undefined {
    return this.#guesses;
  }

  /** Blocks held, summed over all slots. */
  get blockCount(): number {
    return this.#holdings.count;
  }

  get stats(): PrefixIndexStats {
    const { tree, evictedBlocks, conflicts } = this.#holdings;
    return {
      blocks: this.#holdings.count,
      maxBlocks: this.#holdings.maxBlocks,
      prefixes: tree.count,
      orphans: this.#waiting.count,
      usedBytes: this.#holdings.usedBytes,
      evictedBlocks,
      refusedBlocks: this.#refusedBlocks + this.#waiting.refused,
      droppedOrphans: this.#waiting.dropped,
      unknownRemovals: this.#unknownRemovals,
      unknownAdditions: this.#unknownAdditions,
      conflicts,
    };
  }

  /** Blocks that `slot` holds. */
  blocksOf(slot: number): number {
    const holder = this.#holdings.holders.of(slot);
    return holder < 0 ? 0 : this.#holdings.held.countOf(holder);
  }

  /** Blocks that `slot` holds in a tier; one in several tiers counts in each. */
  blocksIn(slot: number, tier: StorageTier): number {
    const holder = this.#holdings.holders.of(slot);
    return holder < 0 ? 0 : this.#holdings.held.countIn(holder, tier);
  }

  /** Whether `slot` holds the block of this sequence hash, by events alone, in any tier. */
  isHeld(slot: number, sequenceLow: number, sequenceHigh: number): boolean {
    const holder = this.#holdings.holders.of(slot);
    const node = this.#holdings.tree.find(sequenceLow, sequenceHigh);
    return holder >= 0 && node !== 0 && this.#holdings.reach.isHeld(node, holder);
  }

  /** Stores of `slot` whose engine hash stood for another content before, since the start. */
  conflictsOf(slot: number): number {
    return this.#holdings.conflictsOf(slot);
  }

  /** Cache namespace of a block that `slot` holds or that waits for its parent; undefined = none, or not known. */
  cacheSaltOf(slot: number, hash: U64): string | undefined {
    const holder = this.#holdings.holders.of(slot);
    const node = holder < 0 ? 0 : this.#holdings.nodeOf(holder, hash);
    return node === 0 ? this.#waiting.cacheSaltOf(slot, hash) : this.#holdings.namespaceOf(node);
  }

  /** Records that `slot` holds a run of blocks. O(blocks). Throws RangeError for a slot that is not an integer < 2^20. */
  store(slot: number, event: StoredBlocks): void {
    const holder = this.#holdings.takeHolder(slot);
    this.#storeFor(holder, slot, event);
    this.#holdings.finish(event.blockHashes.length >>> 1);
  }

  #storeFor(holder: number, slot: number, event: StoredBlocks): void {
    const { parentHash } = event;
    const parent = parentHash === undefined ? 0 : this.#holdings.nodeOf(holder, parentHash);
    if (parentHash === undefined || parent !== 0) {
      this.#storeUnder(parent, slot, holder, event);
      return;
    }
    const rest = this.#waiting.park(slot, { ...event, parentHash });
    if (rest !== undefined) this.#storeFor(holder, slot, rest);
  }

  #storeUnder(parent: number, slot: number, holder: number, event: StoredBlocks): void {
    const { parentHash, blockHashes, localHashes } = event;
    const sequence = chainHashes(localHashes, parent === 0 ? undefined : this.#holdings.sequenceHashOf(parent));
    this.#guesses?.confirm(slot, sequence);
    this.#holdings.prefetch(holder, blockHashes, sequence);
    const block = this.#block;
    block.tiers = tierBits[event.tier ?? "device"];
    block.isCounted = event.isCounted ?? false;
    block.cacheSalt = event.cacheSalt;
    let node = parent;
    for (let at = 0; at < blockHashes.length; at += 2) {
      if (isOwnParent(blockHashes, at, parentHash)) {
        this.#holdings.noteConflict(holder);
        return;
      }
      block.low = blockHashes[at] as number;
      block.high = blockHashes[at + 1] as number;
      block.localLow = localHashes[at] as number;
      block.localHigh = localHashes[at + 1] as number;
      block.sequenceLow = sequence[at] as number;
      block.sequenceHigh = sequence[at + 1] as number;
      node = this.#waiting.place(slot, holder, block, node);
      if (node === 0) {
        this.#refusedBlocks += (blockHashes.length - at) >>> 1;
        return;
      }
    }
  }

  /**
   * Records that `slot` has blocks in one more tier, or one more copy of them, when all that is told of them is the engine's
   * hashes. Blocks that it is not known to hold are counted as unknown.
   */
  addTier(slot: number, blockHashes: Uint32Array, tier: StorageTier): void {
    const bit = tierBits[tier];
    const holder = this.#holdings.holders.of(slot);
    for (let at = 0; at < blockHashes.length; at += 2) {
      const low = blockHashes[at] as number;
      const high = blockHashes[at + 1] as number;
      const holding = holder < 0 ? 0 : this.#holdings.held.find(holder, low, high);
      if (holding !== 0) this.#holdings.addTier(holding, bit);
      else if (!this.#waiting.addTier(slot, { low, high }, bit)) this.#unknownAdditions++;
    }
    this.#holdings.finish(blockHashes.length >>> 1);
  }

  /** Records that `slot` no longer holds these blocks (the engine's hashes, two u32 each) in that tier. */
  remove(slot: number, blockHashes: Uint32Array, tier: StorageTier = "device"): void {
    const bit = tierBits[tier];
    const { held, holders } = this.#holdings;
    const holder = holders.of(slot);
    for (let at = 0; at < blockHashes.length; at += 2) {
      const low = blockHashes[at] as number;
      const high = blockHashes[at + 1] as number;
      const holding = holder < 0 ? 0 : held.find(holder, low, high);
      if (holding !== 0 && (held.tiers(holding) & bit) !== 0) this.#removeTier(slot, holding, bit);
      else if (!this.#waiting.remove(slot, { low, high }, bit)) this.#unknownRemovals++;
    }
    this.#holdings.finish(blockHashes.length >>> 1);
  }

  #removeTier(slot: number, holding: number, bit: number): void {
    if (this.#guesses !== undefined && bit === tierBits.device) {
      const { low, high } = this.#holdings.sequenceHashOf(this.#holdings.held.node(holding));
      this.#guesses.refute(slot, low, high);
    }
    this.#holdings.removeTier(holding, bit);
  }

  /** Forgets what `slot` holds, in every tier, at once: the memory is given back by `sweep`. */
  clear(slot: number): void {
    this.#guesses?.clear(slot);
    this.#waiting.clear(slot);
    this.#holdings.clearSlot(slot);
  }

  /**
   * Does up to `steps` of the work that was put off, and is done by later changes otherwise. Returns whether none is left.
   */
  sweep(steps: number): boolean {
    const isDone = this.#holdings.sweep(steps);
    return (this.#guesses?.sweep(steps) ?? true) && isDone;
  }

  /**
   * Writes for every slot how many leading blocks of the prompt it holds, or is guessed to hold, in device memory.
   * O(log blocks) for each distinct answer.
   * @param out indexed by slot; slots that it has no room for are left out
   */
  overlaps(hashes: BlockHashes, out: Int32Array): void {
    findOverlaps(this.#holdings, hashes, out);
    this.#guesses?.raise(hashes, out);
  }

  /** As `overlaps`, and the blocks that continue it in host memory, and then on disk or beyond. */
  tierOverlaps(hashes: BlockHashes, out: TierOverlaps): void {
    findTierOverlaps(this.#holdings, hashes, out);
    this.#guesses?.raise(hashes, out.device, out);
  }

  /** What all slots hold, in steps between which the index may change (see `dumpChanges`). */
  dump(): Generator<DumpedChange, void, undefined> {
    return dumpChanges(this.#holdings);
  }
}
