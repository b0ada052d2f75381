import { chainHashes } from "./block-hashes.ts";
import { tierBits } from "./held-blocks.ts";
import { type Orphan, Orphans } from "./orphans.ts";
import type { Placement, PrefixHoldings } from "./prefix-holdings.ts";
import type { StoredBlocks } from "./stored-blocks.ts";
import type { U64 } from "./xxh3.ts";

/** Blocks that came before their parents: they wait, and are placed when those come. */
export class WaitingBlocks {
  readonly #holdings: PrefixHoldings;
  readonly #orphans: Orphans;
  #dropped = 0;
  #refused = 0;

  /** @param capacity most blocks that wait, for each slot */
  constructor(holdings: PrefixHoldings, capacity: number) {
    this.#holdings = holdings;
    this.#orphans = new Orphans(capacity);
  }

  /** Blocks that wait at present. */
  get count(): number {
    return this.#orphans.count;
  }

  /** Blocks dropped because too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Blocks that had waited and found no room. */
  get refused(): number {
    return this.#refused;
  }

  cacheSaltOf(slot: number, hash: U64): string | undefined {
    return this.#orphans.isEmpty(slot) ? undefined : this.#orphans.find(slot, hash)?.cacheSalt;
  }

  /**
   * Keeps a run until its parent is known. A block that is held already has its place: the rest of the run, which is
   * returned then, follows it.
   */
  park(slot: number, event: StoredBlocks & { readonly parentHash: U64 }): StoredBlocks | undefined {
    const { parentHash, blockHashes, localHashes } = event;
    let parent = parentHash;
    for (let at = 0; at < blockHashes.length; at += 2) {
      if (isOwnParent(blockHashes, at, parentHash)) {
        this.#holdings.noteConflict(this.#holdings.holders.of(slot));
        return undefined;
      }
      const hash = { low: blockHashes[at] as number, high: blockHashes[at + 1] as number };
      if (this.#isInPlace(slot, event, at)) {
        if (at + 2 === blockHashes.length) return undefined;
        const rest = { blockHashes: blockHashes.subarray(at + 2), localHashes: localHashes.subarray(at + 2) };
        return { ...event, ...rest, parentHash: hash };
      }
      this.#wait(slot, event, at, parent);
      parent = hash;
    }
    return undefined;
  }

  /** Whether the block at `at` is held, with that content; it counts as stored again then. */
  #isInPlace(slot: number, event: StoredBlocks, at: number): boolean {
    const { blockHashes, localHashes, tier = "device", isCounted = false } = event;
    const holder = this.#holdings.holders.of(slot);
    if (holder < 0) return false;
    const holding = this.#holdings.held.find(holder, blockHashes[at] as number, blockHashes[at + 1] as number);
    if (holding === 0) return false;
    return this.#holdings.reaffirm(holding, {
      localLow: localHashes[at] as number,
      localHigh: localHashes[at + 1] as number,
      tiers: tierBits[tier],
      extras: 0,
      isCounted,
    });
  }

  #wait(slot: number, event: StoredBlocks, at: number, parent: U64): void {
    const { blockHashes, localHashes, cacheSalt, tier = "device", isCounted = false } = event;
    const hash = { low: blockHashes[at] as number, high: blockHashes[at + 1] as number };
    const local = { low: localHashes[at] as number, high: localHashes[at + 1] as number };
    const before = this.#orphans.isEmpty(slot) ? undefined : this.#orphans.find(slot, hash);
    const isCopy = isCounted && ((before?.tiers ?? 0) & tierBits[tier] & tierBits.device) !== 0;
    const tiers = tierBits[tier] | (before?.tiers ?? 0);
    const extras = (before?.extras ?? 0) + (isCopy ? 1 : 0);
    this.#dropped += this.#orphans.add(slot, { hash, parent, local, tiers, extras, isCounted, cacheSalt });
  }

  /** Places a block and, when others have waited for it, them too. Returns its node, 0 = not placed. */
  place(slot: number, holder: number, block: Placement, parent: number): number {
    if (this.#orphans.isEmpty(slot)) return this.#holdings.place(holder, block, parent);
    const hash = { low: block.low, high: block.high };
    const waited = this.#orphans.remove(slot, hash);
    const isCopy = block.isCounted && ((waited?.tiers ?? 0) & block.tiers & tierBits.device) !== 0;
    const tiers = block.tiers | (waited?.tiers ?? 0);
    const extras = block.extras + (waited?.extras ?? 0) + (isCopy ? 1 : 0);
    if (this.#holdings.place(holder, { ...block, tiers, extras }, parent) === 0) return 0;
    this.#adopt(slot, holder, hash);
    return this.#holdings.nodeOf(holder, hash);
  }

  /** Adds a tier to a block that waits. Returns false when it does not. */
  addTier(slot: number, hash: U64, bit: number): boolean {
    if (this.#orphans.isEmpty(slot)) return false;
    const orphan = this.#orphans.find(slot, hash);
    if (orphan === undefined) return false;
    if ((orphan.tiers & bit & tierBits.device) !== 0) orphan.extras++;
    orphan.tiers |= bit;
    return true;
  }

  /** Takes a waiting block out of a tier. Returns false when it does not wait there. */
  remove(slot: number, hash: U64, bit: number): boolean {
    if (this.#orphans.isEmpty(slot)) return false;
    const orphan = this.#orphans.find(slot, hash);
    if (orphan === undefined || (orphan.tiers & bit) === 0) return false;
    if (bit === tierBits.device && orphan.extras > 0) {
      orphan.extras--;
      return true;
    }
    orphan.tiers &= ~bit;
    if (orphan.tiers === 0) this.#orphans.remove(slot, hash);
    return true;
  }

  clear(slot: number): void {
    this.#orphans.clear(slot);
  }

  /** Places what waited for `hash`, and what waited for that. */
  #adopt(slot: number, holder: number, hash: U64): void {
    const pending = [hash];
    for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
      for (const orphan of this.#orphans.takeChildren(slot, top)) {
        // Looked up for each: placing one may have evicted its parent.
        const parent = this.#holdings.nodeOf(holder, top);
        if (parent !== 0 && this.#holdings.place(holder, this.#placementOf(orphan, parent), parent) !== 0) {
          pending.push(orphan.hash);
        } else {
          this.#refused++;
        }
      }
    }
  }

  #placementOf(orphan: Orphan, parent: number): Placement {
    const { hash, local, tiers, extras, isCounted, cacheSalt } = orphan;
    const before = this.#holdings.sequenceHashOf(parent);
    const [sequenceLow = 0, sequenceHigh = 0] = chainHashes(Uint32Array.of(local.low, local.high), before);
    return {
      low: hash.low,
      high: hash.high,
      localLow: local.low,
      localHigh: local.high,
      sequenceLow,
      sequenceHigh,
      tiers,
      extras,
      isCounted,
      cacheSalt,
    };
  }
}

/** A block that names itself as the block before it: the rest of such a run has no place. */
export function isOwnParent(blockHashes: Uint32Array, at: number, parentHash: U64 | undefined): boolean {
  const low = at === 0 ? parentHash?.low : blockHashes[at - 2];
  const high = at === 0 ? parentHash?.high : blockHashes[at - 1];
  return low === blockHashes[at] && high === blockHashes[at + 1];
}
