import type { U64 } from "./xxh3.ts";

/** A block whose parent its slot does not hold (yet): its place in the tree cannot be computed. */
export interface Orphan {
  /** The engine's own hash. */
  readonly hash: U64;
  readonly parent: U64;
  readonly local: U64;
  /** Tier bits of `held-blocks.ts`. */
  tiers: number;
  /** How often it is in device memory beyond the first time. */
  extras: number;
  /** Whether its stores are counted. */
  readonly isCounted: boolean;
  readonly cacheSalt: string | undefined;
}

interface SlotOrphans {
  readonly byHash: Map<string, Orphan>;
  readonly byParent: Map<string, Set<Orphan>>;
}

/**
 * Blocks that wait for their parents, per slot, at most `capacity` a slot; beyond it the oldest are dropped. Plain objects:
 * with a replay on connect this is the rare path, and an engine never stores a child before its parent.
 */
export class Orphans {
  readonly #capacity: number;
  readonly #slots = new Map<number, SlotOrphans>();
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#count;
  }

  /** True when nothing of `slot` waits: the fast answer on the hot path. */
  isEmpty(slot: number): boolean {
    return this.#count === 0 || !this.#slots.has(slot);
  }

  find(slot: number, hash: U64): Orphan | undefined {
    return this.#slots.get(slot)?.byHash.get(keyOf(hash));
  }

  /** Adds or replaces the orphan of that hash. Returns how many old ones were dropped for it. */
  add(slot: number, orphan: Orphan): number {
    this.remove(slot, orphan.hash);
    let orphans = this.#slots.get(slot);
    if (orphans === undefined) {
      orphans = { byHash: new Map(), byParent: new Map() };
      this.#slots.set(slot, orphans);
    }
    orphans.byHash.set(keyOf(orphan.hash), orphan);
    const siblings = orphans.byParent.get(keyOf(orphan.parent));
    if (siblings === undefined) orphans.byParent.set(keyOf(orphan.parent), new Set([orphan]));
    else siblings.add(orphan);
    this.#count++;
    if (orphans.byHash.size <= this.#capacity) return 0;
    for (const oldest of orphans.byHash.values()) {
      this.#drop(slot, orphans, oldest);
      break;
    }
    return 1;
  }

  /** Takes out what waits for `parent`. */
  takeChildren(slot: number, parent: U64): readonly Orphan[] {
    const orphans = this.#slots.get(slot);
    const children = orphans?.byParent.get(keyOf(parent));
    if (orphans === undefined || children === undefined) return [];
    const taken = [...children];
    for (const orphan of taken) this.#drop(slot, orphans, orphan);
    return taken;
  }

  remove(slot: number, hash: U64): Orphan | undefined {
    const orphans = this.#slots.get(slot);
    const orphan = orphans?.byHash.get(keyOf(hash));
    if (orphans !== undefined && orphan !== undefined) this.#drop(slot, orphans, orphan);
    return orphan;
  }

  clear(slot: number): void {
    this.#count -= this.#slots.get(slot)?.byHash.size ?? 0;
    this.#slots.delete(slot);
  }

  #drop(slot: number, orphans: SlotOrphans, orphan: Orphan): void {
    orphans.byHash.delete(keyOf(orphan.hash));
    const siblings = orphans.byParent.get(keyOf(orphan.parent));
    siblings?.delete(orphan);
    if (siblings?.size === 0) orphans.byParent.delete(keyOf(orphan.parent));
    this.#count--;
    if (orphans.byHash.size === 0) this.#slots.delete(slot);
  }
}

function keyOf(hash: U64): string {
  return `${hash.high}:${hash.low}`;
}
