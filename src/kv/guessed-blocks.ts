import type { BlockHashes } from "./block-hashes.ts";
import { GuessHolder, type RunHolding } from "./guess-holder.ts";
import { GuessTree } from "./guess-tree.ts";
import { keyOf } from "./guessed-run.ts";
import type { TierOverlaps } from "./overlaps.ts";

export interface GuessedBlocksOptions {
  /**
   * Most blocks guessed, summed over all slots; each run of blocks that a slot holds counts as five more, which is what it takes in memory.
   * Default 1,048,576.
   */
  readonly maxBlocks?: number;
}

/** How long a guess holds. */
export interface GuessLifetime {
  /** Without another request that makes the same guess, ms. */
  readonly ttlMs: number;
  /** Most blocks guessed of the slot: beyond it the least recently used go, deepest first. Default: no bound of its own. */
  readonly maxBlocks?: number | undefined;
}

/** Most blocks learnt of one prompt: bounds the time, and is far beyond what tells two prompts apart. */
const maxLearntBlocks = 8_192;

/** Ticks of the expiry, ms. */
const tickMs = 100;

/**
 * What slots are likely to hold because of the requests that were sent to them: for workers that publish no KV events, and
 * for others until their events arrive. A guess ends after a time without another request for it, when its slot has learnt
 * too much since, or when it is confirmed.
 */
export class GuessedBlocks {
  readonly #tree = new GuessTree();
  readonly #holders = new Map<number, GuessHolder>();
  /** Of slots that were cleared. */
  readonly #leaving: GuessHolder[] = [];
  readonly #maxBlocks: number;
  #overlaps = new Int32Array(64);
  #expiredBlocks = 0;
  #confirmedBlocks = 0;

  /** Throws RangeError for a bad option. */
  constructor(options: GuessedBlocksOptions = {}) {
    const { maxBlocks = 1_048_576 } = options;
    if (!(Number.isInteger(maxBlocks) && maxBlocks > 0 && maxBlocks <= 1 << 26)) {
      throw new RangeError(`maxBlocks must be an integer from 1 to 2^26, got ${maxBlocks}`);
    }
    this.#maxBlocks = maxBlocks;
  }

  /** Guesses at present, in blocks, summed over slots. */
  get blockCount(): number {
    let blocks = 0;
    for (const holder of this.#holders.values()) blocks += holder.blocks;
    return blocks;
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
    return this.#holders.get(slot)?.blocks ?? 0;
  }

  /**
   * A request with these blocks was sent to `slot`. At most the first `maxBlocks` of them count. O(runs) that the prompt shares with others,
   * and a copy of what is new.
   * @param nowMs monotonic
   */
  learn(slot: number, hashes: BlockHashes, nowMs: number, lifetime: GuessLifetime): void {
    const { ttlMs, maxBlocks = Number.POSITIVE_INFINITY } = lifetime;
    const holder = this.#holders.get(slot) ?? new GuessHolder(slot);
    this.#holders.set(slot, holder);
    const path = this.#tree.hold(holder, hashes, Math.min(hashes.count, maxBlocks, maxLearntBlocks));
    const endsAt = Math.ceil((nowMs + ttlMs) / tickMs);
    // From the deepest to the first: the order in which they are to be forgotten.
    for (let at = path.length - 1; at >= 0; at--) {
      const holding = path[at] as RunHolding;
      holder.touch(holding);
      holding.endsAt = endsAt;
    }
    while (holder.blocks > maxBlocks) this.#forgetOldest(holder, holder.blocks - maxBlocks);
    while (this.#tree.weight > this.#maxBlocks) this.#makeRoom();
  }

  /**
   * Raises, for every slot, the leading blocks of the prompt on the device to those that are guessed. What they overtake of
   * the blocks in lower tiers is no longer counted there. Slots beyond the arrays are left out.
   */
  raise(hashes: BlockHashes, device: Int32Array, lower?: Pick<TierOverlaps, "host" | "disk">): void {
    if (this.#tree.weight === 0) return;
    if (this.#overlaps.length < device.length) this.#overlaps = new Int32Array(2 * device.length);
    const guessed = this.#overlaps.fill(0, 0, device.length);
    this.#findOverlaps(hashes, guessed, device.length);
    for (let slot = 0; slot < device.length; slot++) {
      const more = (guessed[slot] as number) - (device[slot] as number);
      if (more <= 0) continue;
      device[slot] = guessed[slot] as number;
      if (lower !== undefined) overtake(lower, slot, more);
    }
  }

  #findOverlaps(hashes: BlockHashes, out: Int32Array, slots: number): void {
    for (let depth = 0; depth < hashes.count; ) {
      const run = this.#tree.runAt(hashes, depth);
      if (run === undefined) return;
      const agreed = run.agreement(hashes.sequence, depth, hashes.count);
      for (const { holder, length } of run.holdings) {
        if (holder.slot < slots && !holder.isGone) out[holder.slot] = depth + Math.min(agreed, length);
      }
      if (agreed < run.length) return;
      depth += agreed;
    }
  }

  /**
   * Events say that `slot` holds these blocks (our sequence hashes, two u32 each). A guess goes when nothing is guessed behind
   * it any more: until then it carries what is.
   */
  confirm(slot: number, sequence: Uint32Array): void {
    const holder = this.#holders.get(slot);
    if (holder === undefined || holder.blocks === 0) return;
    const places = holder.places ?? holder.index();
    let next = 0;
    for (let at = 0; at < sequence.length >>> 1; at++) {
      const holding = places.get(keyOf(sequence, at));
      const block = holding?.run.find(sequence, at, next) ?? -1;
      if (holding === undefined || block < 0) continue;
      next = block + 1;
      this.#confirmBlock(holding, block);
    }
  }

  #confirmBlock(holding: RunHolding, block: number): void {
    if ((holding.confirmed?.length ?? 0) < holding.run.length) {
      const marks = new Uint8Array(holding.run.length);
      if (holding.confirmed !== undefined) marks.set(holding.confirmed);
      holding.confirmed = marks;
    }
    const marks = holding.confirmed as Uint8Array;
    if (marks[block] === 1) return;
    marks[block] = 1;
    this.#confirmedBlocks++;
    if (block === holding.length - 1) this.#dropCarriers(holding);
  }

  /** Drops what a holding ends with, and what is before it, while it is confirmed and carries nothing. */
  #dropCarriers(deepest: RunHolding): void {
    for (let holding: RunHolding | undefined = deepest; holding?.isDeepest === true; ) {
      const { parent, confirmed }: RunHolding = holding;
      let kept = holding.length;
      while (kept > 0 && confirmed?.[kept - 1] === 1) kept--;
      if (kept < holding.length) this.#tree.forget(holding, holding.length - kept);
      if (kept > 0) return;
      holding = parent;
    }
  }

  /** An event says that `slot` no longer holds this block: what was guessed behind it goes as well. */
  refute(slot: number, low: number, high: number): void {
    const holder = this.#holders.get(slot);
    if (holder === undefined || holder.blocks === 0) return;
    const sequence = Uint32Array.of(low, high);
    const holding = (holder.places ?? holder.index()).get(keyOf(sequence, 0));
    const block = holding?.run.find(sequence, 0, 0) ?? -1;
    if (holding !== undefined && block >= 0) this.#tree.forgetFrom(holding, block);
  }

  /** Ends guesses whose time is over, at most `maxBlocks` of them. Returns whether none is left that is to end. */
  expireAll(nowMs: number, maxBlocks = Number.POSITIVE_INFINITY): boolean {
    const now = Math.floor(nowMs / tickMs);
    let left = maxBlocks;
    for (const holder of this.#holders.values()) {
      for (let oldest = holder.oldest; oldest !== undefined && oldest.endsAt <= now; oldest = holder.oldest) {
        if (left === 0) return false;
        left -= this.#forgetOldest(holder, left);
      }
    }
    return left > 0;
  }

  /** Forgets what is guessed of a slot, at once: the memory is given back by `sweep`. */
  clear(slot: number): void {
    const holder = this.#holders.get(slot);
    if (holder === undefined) return;
    this.#holders.delete(slot);
    holder.isGone = true;
    this.#leaving.push(holder);
  }

  /** Does up to `steps` of the work that was put off. Returns whether none is left. */
  sweep(steps: number): boolean {
    for (let step = 0; step < steps && this.#leaving.length > 0; step++) this.#forgetLeft();
    return this.#leaving.length === 0;
  }

  /** Forgets the oldest of what cleared slots held. */
  #forgetLeft(): void {
    const holder = this.#leaving.at(-1);
    if (holder?.oldest !== undefined) this.#tree.forgetFrom(holder.oldest, 0);
    if (holder?.oldest === undefined) this.#leaving.pop();
  }

  /** Forgets something: what cleared slots held, or of the slot with most blocks. */
  #makeRoom(): void {
    if (this.#leaving.length > 0) {
      this.#forgetLeft();
      return;
    }
    let largest: GuessHolder | undefined;
    for (const holder of this.#holders.values()) {
      if (holder.blocks > (largest?.blocks ?? 0)) largest = holder;
    }
    if (largest !== undefined) this.#forgetOldest(largest, this.#tree.weight - this.#maxBlocks);
  }

  /** Forgets up to `maxBlocks` blocks of a holder's oldest holding. @returns how many */
  #forgetOldest(holder: GuessHolder, maxBlocks: number): number {
    const { oldest } = holder;
    if (oldest === undefined) return 0;
    const blocks = this.#tree.forgetFrom(oldest, Math.max(0, oldest.length - maxBlocks));
    this.#expiredBlocks += blocks;
    return blocks;
  }
}

/** `blocks` that were counted in lower tiers count as the device's. */
function overtake({ host, disk }: Pick<TierOverlaps, "host" | "disk">, slot: number, blocks: number): void {
  const fromHost = Math.min(blocks, host[slot] as number);
  host[slot] = (host[slot] as number) - fromHost;
  disk[slot] = Math.max(0, (disk[slot] as number) - (blocks - fromHost));
}
