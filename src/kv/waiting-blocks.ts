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
    const { parentHash, blockHashes, localHashes, cacheSalt } = event;
    const tiers = tierBits[event.tier ?? "device"];
    let parent = parentHash;
    for (let at = 0; at < blockHashes.length; at += 2) {
      if (isOwnParent(blockHashes, at, parentHash)) {
        this.#holdings.conflicts++;
        return undefined;
      }
      const hash = { low: blockHashes[at] as number, high: blockHashes[at + 1] as number };
      const local = { low: localHashes[at] as number, high: localHashes[at + 1] as number };
      const holding = this.#holdings.held.find(slot, hash.low, hash.high);
      if (holding !== 0 && this.#holdings.reaffirm(holding, local, tiers)) {
        if (at + 2 === blockHashes.length) return undefined;
        const rest = { blockHashes: blockHashes.subarray(at + 2), localHashes: localHashes.subarray(at + 2) };
        return { ...event, ...rest, parentHash: hash };
      }
      const before = this.#orphans.isEmpty(slot) ? 0 : (this.#orphans.find(slot, hash)?.tiers ?? 0);
      this.#dropped += this.#orphans.add(slot, { hash, parent, local, tiers: tiers | before, cacheSalt });
      parent = hash;
    }
    return undefined;
  }

  /** Places a block and, when others have waited for it, them too. Returns its node, 0 = not placed. */
  place(slot: number, block: Placement, parent: number): number {
    if (this.#orphans.isEmpty(slot)) return this.#holdings.place(slot, block, parent);
    const hash = { low: block.low, high: block.high };
    const waited = this.#orphans.remove(slot, hash);
    const tiers = block.tiers | (waited?.tiers ?? 0);
    if (this.#holdings.place(slot, { ...block, tiers }, parent) === 0) return 0;
    this.#adopt(slot, hash);
    return this.#holdings.nodeOf(slot, hash);
  }

  /** Takes a waiting block out of a tier. Returns false when it does not wait there. */
  remove(slot: number, hash: U64, bit: number): boolean {
    if (this.#orphans.isEmpty(slot)) return false;
    const orphan = this.#orphans.find(slot, hash);
    if (orphan === undefined || (orphan.tiers & bit) === 0) return false;
    orphan.tiers &= ~bit;
    if (orphan.tiers === 0) this.#orphans.remove(slot, hash);
    return true;
  }

  clear(slot: number): void {
    this.#orphans.clear(slot);
  }

  /** Places what waited for `hash`, and what waited for that. */
  #adopt(slot: number, hash: U64): void {
    const pending = [hash];
    for (let top = pending.pop(); top !== undefined; top = pending.pop()) {
      for (const orphan of this.#orphans.takeChildren(slot, top)) {
        // Looked up for each: placing one may have evicted its parent.
        const parent = this.#holdings.nodeOf(slot, top);
        if (parent !== 0 && this.#holdings.place(slot, this.#placementOf(orphan, parent), parent) !== 0) {
          pending.push(orphan.hash);
        } else {
          this.#refused++;
        }
      }
    }
  }

  #placementOf(orphan: Orphan, parent: number): Placement {
    const { hash, local, tiers, cacheSalt } = orphan;
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
