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
   * Most blocks held, summed over all slots; also the most distinct prefixes. When full, the oldest leaves of the slot with
   * the most blocks are forgotten. Default 4,194,304: up to 32 MB for the buckets, and `usedBytes` of the stats for what is
   * held, about 330 MB when full and nothing is shared.
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
  /** Distinct prefixes at present, holes included. */
  readonly prefixes: number;
  /** Blocks that wait for their parents at present. */
  readonly orphans: number;
  /** Memory of blocks and prefixes, in bytes, buckets (8 bytes for each of `maxBlocks`, or up to 16) and orphans not counted. */
  readonly usedBytes: number;
  /** Blocks forgotten because the index was full. */
  readonly evictedBlocks: number;
  /** Blocks not stored because the index was full and nothing could be evicted. */
  readonly refusedBlocks: number;
  readonly droppedOrphans: number;
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
    cacheSalt: undefined,
  };
  #refusedBlocks = 0;
  #unknownRemovals = 0;

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
    return this.#holdings.held.count;
  }

  get stats(): PrefixIndexStats {
    const { held, tree, evictedBlocks, conflicts } = this.#holdings;
    return {
      blocks: held.count,
      prefixes: tree.count,
      orphans: this.#waiting.count,
      usedBytes: held.count * 32 + tree.count * (40 + 4 * tree.stride),
      evictedBlocks,
      refusedBlocks: this.#refusedBlocks + this.#waiting.refused,
      droppedOrphans: this.#waiting.dropped,
      unknownRemovals: this.#unknownRemovals,
      conflicts,
    };
  }

  /** Blocks that `slot` holds. */
  blocksOf(slot: number): number {
    return this.#holdings.held.countOf(slot);
  }

  /** Cache namespace of a block that `slot` holds or that waits for its parent; undefined = none, or not known. */
  cacheSaltOf(slot: number, hash: U64): string | undefined {
    const holding = this.#holdings.held.find(slot, hash.low, hash.high);
    if (holding !== 0) return this.#holdings.namespaceOf(this.#holdings.held.node(holding));
    return this.#waiting.cacheSaltOf(slot, hash);
  }

  /** Records that `slot` holds a run of blocks. O(blocks). Throws RangeError for a slot that is not an integer < 2^24. */
  store(slot: number, event: StoredBlocks): void {
    this.#holdings.reserveSlot(slot);
    const { parentHash, blockHashes, localHashes } = event;
    let node = 0;
    if (parentHash !== undefined) {
      node = this.#holdings.nodeOf(slot, parentHash);
      if (node === 0) {
        const rest = this.#waiting.park(slot, { ...event, parentHash });
        if (rest !== undefined) this.store(slot, rest);
        return;
      }
    }
    const sequence = chainHashes(localHashes, node === 0 ? undefined : this.#holdings.sequenceHashOf(node));
    this.#guesses?.confirm(slot, sequence);
    const block = this.#block;
    block.tiers = tierBits[event.tier ?? "device"];
    block.cacheSalt = event.cacheSalt;
    for (let at = 0; at < blockHashes.length; at += 2) {
      if (isOwnParent(blockHashes, at, parentHash)) {
        this.#holdings.conflicts++;
        return;
      }
      block.low = blockHashes[at] as number;
      block.high = blockHashes[at + 1] as number;
      block.localLow = localHashes[at] as number;
      block.localHigh = localHashes[at + 1] as number;
      block.sequenceLow = sequence[at] as number;
      block.sequenceHigh = sequence[at + 1] as number;
      node = this.#waiting.place(slot, block, node);
      if (node === 0) {
        this.#refusedBlocks += (blockHashes.length - at) >>> 1;
        return;
      }
    }
  }

  /** Records that `slot` no longer holds these blocks (the engine's hashes, two u32 each) in that tier. */
  remove(slot: number, blockHashes: Uint32Array, tier: StorageTier = "device"): void {
    const bit = tierBits[tier];
    const { held } = this.#holdings;
    for (let at = 0; at < blockHashes.length; at += 2) {
      const low = blockHashes[at] as number;
      const high = blockHashes[at + 1] as number;
      const holding = held.find(slot, low, high);
      const tiers = holding === 0 ? 0 : held.tiers(holding);
      if ((tiers & bit) !== 0) {
        if (tier === "device") this.#refute(slot, held.node(holding));
        this.#holdings.setTiers(holding, tiers & ~bit);
      } else if (!this.#waiting.remove(slot, { low, high }, bit)) this.#unknownRemovals++;
    }
  }

  /**
   * Forgets what `slot` holds, in every tier: all of it, or up to `maxBlocks` blocks, for callers that must not take long.
   * Returns whether nothing is left. O(blocks forgotten).
   */
  clear(slot: number, maxBlocks = Number.POSITIVE_INFINITY): boolean {
    this.#guesses?.clear(slot);
    this.#waiting.clear(slot);
    return this.#holdings.clearSlot(slot, maxBlocks);
  }

  /** Forgets a slot that is given back; its number may then stand for another rank. */
  removeSlot(slot: number): void {
    this.clear(slot);
  }

  /**
   * Writes for every slot how many leading blocks of the prompt it holds, or is guessed to hold, in device memory.
   * O(log blocks) for each distinct answer.
   * @param out indexed by slot; slots that it has no room for are left out
   */
  overlaps(hashes: BlockHashes, out: Int32Array): void {
    findOverlaps(this.#holdings.tree, hashes, out);
    this.#guesses?.raise(hashes, out);
  }

  /**
   * As `overlaps`, and the blocks that continue it in host memory, and then on disk or beyond. O(blocks) once any slot has
   * blocks in lower tiers.
   */
  tierOverlaps(hashes: BlockHashes, out: TierOverlaps): void {
    findOverlaps(this.#holdings.tree, hashes, out.device);
    out.host.fill(0);
    out.disk.fill(0);
    if (this.#holdings.lowerTierHoldings > 0) {
      findTierOverlaps(this.#holdings.tree, this.#holdings.held, hashes, out);
    }
    this.#guesses?.raise(hashes, out.device, out);
  }

  /** What all slots hold, in steps between which the index may change (see `dumpChanges`). */
  dump(): Generator<DumpedChange, void, undefined> {
    return dumpChanges(this.#holdings);
  }

  #refute(slot: number, node: number): void {
    this.#guesses?.refute(slot, this.#holdings.tree.keyLow(node), this.#holdings.tree.keyHigh(node));
  }
}
