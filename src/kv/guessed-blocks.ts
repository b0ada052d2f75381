import type { BlockHashes } from "./block-hashes.ts";
import { tierBits } from "./held-blocks.ts";
import { findOverlaps, type TierOverlaps } from "./overlaps.ts";
import { type Placement, PrefixHoldings } from "./prefix-holdings.ts";

export interface GuessedBlocksOptions {
  /** Most blocks guessed, summed over all slots, and most distinct prefixes. Default 1,048,576. */
  readonly maxBlocks?: number;
}

/** How long a guess holds. */
export interface GuessLifetime {
  /** Without another request that makes the same guess, ms. */
  readonly ttlMs: number;
  /** Most blocks guessed of the slot: beyond it the least recently used go, deepest first. Default: no bound of its own. */
  readonly maxBlocks?: number | undefined;
}

/** Tiers of a guess that events have proved right. */
const isConfirmed = tierBits.device | tierBits.host_pinned;

/** Most blocks learnt of one prompt: bounds the time, and is far beyond what tells two prompts apart. */
const maxLearntBlocks = 8_192;

/** Ticks of the expiry, ms. */
const tickMs = 100;
/** Guesses are renewed at most so often, in ms: to renew one of 4,096 blocks costs as much as the rest of its pick. */
const renewalMs = 1_000;
/** Part of its time by which a guess may end sooner for that. */
const renewalPart = 1 / 16;

/**
 * What slots are likely to hold because of the requests that were sent to them: for workers that publish no KV events, and
 * for others until their events arrive. A guess ends after a time without another request for it, when its slot has learnt
 * too much since, or when it is confirmed.
 */
export class GuessedBlocks {
  readonly #holdings: PrefixHoldings;
  /** Tick at which each holding ends. */
  readonly #endsAt: Uint32Array;
  readonly #block: Placement;
  #overlaps = new Int32Array(64);
  #expiredBlocks = 0;
  #confirmedBlocks = 0;

  /** Throws RangeError for a bad option. */
  constructor(options: GuessedBlocksOptions = {}) {
    const { maxBlocks = 1_048_576 } = options;
    if (!(Number.isInteger(maxBlocks) && maxBlocks > 0 && maxBlocks <= 1 << 26)) {
      throw new RangeError(`maxBlocks must be an integer from 1 to 2^26, got ${maxBlocks}`);
    }
    this.#holdings = new PrefixHoldings(maxBlocks);
    this.#endsAt = new Uint32Array(maxBlocks + 1);
    this.#block = {
      low: 0,
      high: 0,
      localLow: 0,
      localHigh: 0,
      sequenceLow: 0,
      sequenceHigh: 0,
      tiers: tierBits.device,
      extras: 0,
      isCounted: false,
      cacheSalt: undefined,
    };
  }

  /** Guesses at present, in blocks, summed over slots. */
  get blockCount(): number {
    return this.#holdings.count;
  }

  /** Guesses that ended by time, or for newer ones, since the start. */
  get expiredBlocks(): number {
    return this.#expiredBlocks;
  }

  /** Guesses that an event proved right, since the start. */
  get confirmedBlocks(): number {
    return this.#confirmedBlocks;
  }

  blocksOf(slot: number): number {
    const holder = this.#holdings.holders.of(slot);
    return holder < 0 ? 0 : this.#holdings.held.countOf(holder);
  }

  /**
   * A request with these blocks was sent to `slot`. At most the first `maxBlocks` of them count. O(blocks); O(log blocks + new blocks)
   * where the known ones were renewed less than a second ago (a sixteenth of `ttlMs`, if that is less) and there is room.
   * @param nowMs monotonic
   */
  learn(slot: number, hashes: BlockHashes, nowMs: number, lifetime: GuessLifetime): void {
    const { ttlMs, maxBlocks = Number.POSITIVE_INFINITY } = lifetime;
    const { held } = this.#holdings;
    const holder = this.#holdings.takeHolder(slot);
    const count = Math.min(hashes.count, maxBlocks, maxLearntBlocks);
    const endsAt = Math.ceil((nowMs + ttlMs) / tickMs);
    const known = this.#knownBlocks(holder, hashes, count);
    const deepest = known === 0 ? 0 : this.#find(holder, hashes, known - 1);
    const isFresh = deepest !== 0 && this.#hasRoom(holder, maxBlocks) && this.#isFresh(deepest, endsAt, ttlMs);
    const first = isFresh ? known : 0;
    const placed = this.#place(holder, hashes, first, count, isFresh ? held.node(deepest) : 0);
    // From the deepest to the first: the order in which they are to be forgotten.
    for (let i = placed - 1; i >= first; i--) {
      const holding = this.#find(holder, hashes, i);
      if (holding === 0) continue;
      held.touch(holding);
      this.#endsAt[holding] = endsAt;
    }
    while (held.countOf(holder) > maxBlocks) this.#forgetOldest(holder);
    this.#holdings.finish(placed - first);
  }

  /** Leading blocks that are guessed of a holder, by bisection: one that events took out of the middle may be overlooked. */
  #knownBlocks(holder: number, hashes: BlockHashes, count: number): number {
    if (count === 0 || this.#find(holder, hashes, 0) === 0) return 0;
    if (this.#find(holder, hashes, count - 1) !== 0) return count;
    let known = 1;
    let unknown = count;
    while (unknown - known > 1) {
      const middle = (known + unknown) >>> 1;
      if (this.#find(holder, hashes, middle - 1) === 0) unknown = middle;
      else known = middle;
    }
    return known;
  }

  /** Holding of block number `i`, or 0. */
  #find(holder: number, { sequence }: BlockHashes, i: number): number {
    return this.#holdings.held.find(holder, sequence[2 * i] as number, sequence[2 * i + 1] as number);
  }

  /** Whether a guess has about its whole time before it. */
  #isFresh(holding: number, endsAt: number, ttlMs: number): boolean {
    const missingMs = (endsAt - (this.#endsAt[holding] as number)) * tickMs;
    return missingMs < Math.min(renewalMs, ttlMs * renewalPart);
  }

  /** Whether neither the slot nor all slots together will soon have to forget something for lack of room. */
  #hasRoom(holder: number, maxBlocks: number): boolean {
    const { held } = this.#holdings;
    return held.countOf(holder) < 0.75 * maxBlocks && held.count < 0.75 * (this.#endsAt.length - 1);
  }

  /**
   * Raises, for every slot, the leading blocks of the prompt on the device to those that are guessed. What they overtake of
   * the blocks in lower tiers is no longer counted there. Slots beyond the arrays are left out.
   */
  raise(hashes: BlockHashes, device: Int32Array, lower?: Pick<TierOverlaps, "host" | "disk">): void {
    if (this.#holdings.held.count === 0) return;
    if (this.#overlaps.length < device.length) this.#overlaps = new Int32Array(2 * device.length);
    const guessed = this.#overlaps.subarray(0, device.length);
    findOverlaps(this.#holdings, hashes, guessed);
    for (let slot = 0; slot < device.length; slot++) {
      const more = (guessed[slot] as number) - (device[slot] as number);
      if (more <= 0) continue;
      device[slot] = guessed[slot] as number;
      if (lower !== undefined) overtake(lower, slot, more);
    }
  }

  /**
   * Events say that `slot` holds these blocks (our sequence hashes, two u32 each). A guess goes when nothing is guessed behind
   * it any more: until then it carries what is.
   */
  confirm(slot: number, sequence: Uint32Array): void {
    const { held, holders } = this.#holdings;
    const holder = holders.of(slot);
    if (holder < 0 || held.countOf(holder) === 0) return;
    for (let at = 0; at < sequence.length; at += 2) {
      const holding = held.find(holder, sequence[at] as number, sequence[at + 1] as number);
      if (holding === 0 || held.tiers(holding) === isConfirmed) continue;
      this.#holdings.setTiers(holding, isConfirmed);
      this.#confirmedBlocks++;
      this.#dropCarriers(holder, held.node(holding));
    }
    this.#holdings.finish(sequence.length >>> 1);
  }

  /** An event says that `slot` no longer holds this block. */
  refute(slot: number, low: number, high: number): void {
    const { held, holders } = this.#holdings;
    const holder = holders.of(slot);
    const holding = holder < 0 ? 0 : held.find(holder, low, high);
    if (holding === 0) return;
    this.#holdings.setTiers(holding, 0);
    this.#holdings.finish(1);
  }

  /** Ends guesses whose time is over, at most `maxBlocks` of them. Returns whether none is left that is to end. */
  expireAll(nowMs: number, maxBlocks = Number.POSITIVE_INFINITY): boolean {
    let left = maxBlocks;
    for (const holder of this.#holdings.holders.inUse()) {
      left = this.#expire(holder, nowMs, left);
      if (left === 0) return false;
    }
    return true;
  }

  /** Returns what is left of `maxBlocks`. */
  #expire(holder: number, nowMs: number, maxBlocks: number): number {
    const now = Math.floor(nowMs / tickMs);
    const { held } = this.#holdings;
    let left = maxBlocks;
    for (let oldest = held.oldestOf(holder); oldest !== 0 && left > 0; oldest = held.oldestOf(holder)) {
      if ((this.#endsAt[oldest] as number) > now) break;
      this.#forgetOldest(holder);
      left--;
    }
    return left;
  }

  /** Forgets what is guessed of a slot, at once: the memory is given back by `sweep`. */
  clear(slot: number): void {
    this.#holdings.clearSlot(slot);
  }

  /** Does up to `steps` of the work that was put off. Returns whether none is left. */
  sweep(steps: number): boolean {
    return this.#holdings.sweep(steps);
  }

  /** Places the blocks [first, count) behind the node of the one before. Returns up to where they are in place. */
  #place(holder: number, hashes: BlockHashes, first: number, count: number, parent: number): number {
    const block = this.#block;
    const sequence = hashes.sequence.subarray(2 * first, 2 * count);
    this.#holdings.prefetch(holder, sequence, sequence);
    let node = parent;
    for (let i = first; i < count; i++) {
      block.low = block.sequenceLow = hashes.sequence[2 * i] as number;
      block.high = block.sequenceHigh = hashes.sequence[2 * i + 1] as number;
      block.localLow = hashes.local[2 * i] as number;
      block.localHigh = hashes.local[2 * i + 1] as number;
      node = this.#holdings.place(holder, block, node);
      if (node === 0) return i;
    }
    return count;
  }

  /** Drops `node` and what is before it while it is confirmed and carries nothing. */
  #dropCarriers(holder: number, node: number): void {
    const { held, tree } = this.#holdings;
    for (let at = node; at !== 0; ) {
      const holding = held.find(holder, tree.keyLow(at), tree.keyHigh(at));
      if (holding === 0 || held.tiers(holding) !== isConfirmed || this.#carries(holder, at)) return;
      const parent = tree.parent(at);
      this.#holdings.setTiers(holding, 0);
      at = parent;
    }
  }

  #carries(holder: number, node: number): boolean {
    const { tree, held } = this.#holdings;
    for (let child = tree.firstChild(node); child !== 0; child = tree.nextSibling(child)) {
      if (held.find(holder, tree.keyLow(child), tree.keyHigh(child)) !== 0) return true;
    }
    return false;
  }

  #forgetOldest(holder: number): void {
    this.#holdings.setTiers(this.#holdings.held.oldestOf(holder), 0);
    this.#expiredBlocks++;
  }
}

/** `blocks` that were counted in lower tiers count as the device's. */
function overtake({ host, disk }: Pick<TierOverlaps, "host" | "disk">, slot: number, blocks: number): void {
  const fromHost = Math.min(blocks, host[slot] as number);
  host[slot] = (host[slot] as number) - fromHost;
  disk[slot] = Math.max(0, (disk[slot] as number) - (blocks - fromHost));
}
