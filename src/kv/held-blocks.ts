import { maxHolders } from "./holders.ts";
import { RecordTable, recordWords } from "./record-table.ts";

/** Where a worker keeps a block. */
export type StorageTier = "device" | "host_pinned" | "disk" | "external";

/** One bit a tier, as kept in a holding. */
export const tierBits = { device: 1, host_pinned: 2, disk: 4, external: 8 } as const satisfies Record<
  StorageTier,
  number
>;

/** A holding keeps its holder in 20 bits, its tiers in 4, and how often it is stored beyond the first time in 8. */
const holderMask = maxHolders - 1;
const tierShift = 20;
const tierMask = 15;
const extraShift = 24;
const mostExtras = 255;
const holderWord = 3;
const nodeWord = 4;
const nextOfNodeWord = 5;
const nextOfHolderWord = 6;
const previousOfHolderWord = 7;

/**
 * What each holder has: (holder, the engine's own block hash) -> node. Each holding is in the list of its node, and in the
 * list of its holder from the oldest to the newest. Ids are from 1; 0 is none.
 */
export class HeldBlocks {
  readonly #table: RecordTable;
  readonly #words: Uint32Array;
  readonly #oldest: number[] = [];
  readonly #newest: number[] = [];
  readonly #counts: number[] = [];
  /** Four a holder, in the order of the bits: its blocks in each tier. */
  readonly #tierCounts: number[] = [];

  /** @param capacity most holdings over all slots */
  constructor(capacity: number) {
    this.#table = new RecordTable(capacity, holderMask);
    this.#words = this.#table.words;
  }

  get count(): number {
    return this.#table.count;
  }

  get isFull(): boolean {
    return this.#table.isFull;
  }

  /** Holders ever seen, exclusive. */
  get holderCount(): number {
    return this.#counts.length;
  }

  reserveHolder(holder: number): void {
    while (this.#counts.length <= holder) {
      this.#counts.push(0);
      this.#oldest.push(0);
      this.#newest.push(0);
      this.#tierCounts.push(0, 0, 0, 0);
    }
  }

  countOf(holder: number): number {
    return this.#counts[holder] ?? 0;
  }

  /** Blocks of a holder in a tier; one in several tiers counts in each. */
  countIn(holder: number, tier: StorageTier): number {
    return this.#tierCounts[4 * holder + 31 - Math.clz32(tierBits[tier])] ?? 0;
  }

  find(holder: number, low: number, high: number): number {
    return this.#table.find(low, high, holder);
  }

  /** Brings near what `find` and `add` will read of these hashes. */
  prefetch(holder: number, hashes: Uint32Array): void {
    this.#table.prefetch(hashes, holder);
  }

  /** Adds a holding in no tier at the newest end of its holder. Its node's list has to be linked by `setNextOfNode`. */
  add(holder: number, low: number, high: number, node: number): number {
    const id = this.#table.insert(low, high, holder);
    this.#words[id * recordWords + nodeWord] = node;
    this.#append(id, holder);
    return id;
  }

  delete(id: number): void {
    this.#unlinkFromHolder(id, this.holder(id));
    this.#table.delete(id);
  }

  /** Makes a holding the newest of its holder. */
  touch(id: number): void {
    const holder = this.holder(id);
    if (this.#newest[holder] === id) return;
    this.#unlinkFromHolder(id, holder);
    this.#append(id, holder);
  }

  /** The engine's own hash. */
  low(id: number): number {
    return this.#words[id * recordWords] as number;
  }

  high(id: number): number {
    return this.#words[id * recordWords + 1] as number;
  }

  holder(id: number): number {
    return (this.#words[id * recordWords + holderWord] as number) & holderMask;
  }

  tiers(id: number): number {
    return ((this.#words[id * recordWords + holderWord] as number) >>> tierShift) & tierMask;
  }

  setTiers(id: number, tiers: number): void {
    const at = id * recordWords + holderWord;
    const word = this.#words[at] as number;
    const changed = ((word >>> tierShift) & tierMask) ^ tiers;
    this.#words[at] = (word & ~(tierMask << tierShift)) | (tiers << tierShift);
    if (changed !== 0) this.#countTiers(word & holderMask, changed, tiers);
  }

  #countTiers(holder: number, changed: number, tiers: number): void {
    const counts = this.#tierCounts;
    for (let bit = 0; bit < 4; bit++) {
      if (((changed >>> bit) & 1) === 0) continue;
      const at = 4 * holder + bit;
      counts[at] = (counts[at] as number) + (((tiers >>> bit) & 1) === 1 ? 1 : -1);
    }
  }

  /** How often the block is in device memory beyond the first time. */
  extras(id: number): number {
    return (this.#words[id * recordWords + holderWord] as number) >>> extraShift;
  }

  /** Beyond 255 more are not counted. */
  setExtras(id: number, extras: number): void {
    const at = id * recordWords + holderWord;
    const rest = (this.#words[at] as number) & ~(mostExtras << extraShift);
    this.#words[at] = rest | (Math.min(mostExtras, extras) << extraShift);
  }

  node(id: number): number {
    return this.#words[id * recordWords + nodeWord] as number;
  }

  nextOfNode(id: number): number {
    return this.#words[id * recordWords + nextOfNodeWord] as number;
  }

  setNextOfNode(id: number, next: number): void {
    this.#words[id * recordWords + nextOfNodeWord] = next;
  }

  oldestOf(holder: number): number {
    return this.#oldest[holder] ?? 0;
  }

  newestOf(holder: number): number {
    return this.#newest[holder] ?? 0;
  }

  newerThan(id: number): number {
    return this.#words[id * recordWords + nextOfHolderWord] as number;
  }

  olderThan(id: number): number {
    return this.#words[id * recordWords + previousOfHolderWord] as number;
  }

  #append(id: number, holder: number): void {
    const words = this.#words;
    const at = id * recordWords;
    const newest = this.#newest[holder] as number;
    words[at + previousOfHolderWord] = newest;
    words[at + nextOfHolderWord] = 0;
    if (newest === 0) this.#oldest[holder] = id;
    else words[newest * recordWords + nextOfHolderWord] = id;
    this.#newest[holder] = id;
    this.#counts[holder] = (this.#counts[holder] as number) + 1;
  }

  #unlinkFromHolder(id: number, holder: number): void {
    const words = this.#words;
    const at = id * recordWords;
    const next = words[at + nextOfHolderWord] as number;
    const previous = words[at + previousOfHolderWord] as number;
    if (previous === 0) this.#oldest[holder] = next;
    else words[previous * recordWords + nextOfHolderWord] = next;
    if (next === 0) this.#newest[holder] = previous;
    else words[next * recordWords + previousOfHolderWord] = previous;
    this.#counts[holder] = (this.#counts[holder] as number) - 1;
  }
}
