import { RecordTable, recordWords } from "./record-table.ts";

/** Where a worker keeps a block. */
export type StorageTier = "device" | "host_pinned" | "disk" | "external";

/** One bit a tier, as kept in a holding. */
export const tierBits = { device: 1, host_pinned: 2, disk: 4, external: 8 } as const satisfies Record<
  StorageTier,
  number
>;

/** Slots are under 2^24: a holding keeps its slot in 24 bits and its tiers in 4. */
export const maxSlots = 1 << 24;
const slotMask = maxSlots - 1;
const tierShift = 24;
const slotWord = 3;
const nodeWord = 4;
const nextOfNodeWord = 5;
const nextOfSlotWord = 6;
const previousOfSlotWord = 7;

/**
 * What each slot holds: (slot, the engine's own block hash) -> node. Each holding is in the list of its node, and in the
 * list of its slot from the oldest to the newest. Ids are from 1; 0 is none.
 */
export class HeldBlocks {
  readonly #table: RecordTable;
  readonly #words: Uint32Array;
  readonly #oldest: number[] = [];
  readonly #newest: number[] = [];
  readonly #counts: number[] = [];

  /** @param capacity most holdings over all slots */
  constructor(capacity: number) {
    this.#table = new RecordTable(capacity, slotMask);
    this.#words = this.#table.words;
  }

  get count(): number {
    return this.#table.count;
  }

  get isFull(): boolean {
    return this.#table.isFull;
  }

  /** Slots ever seen, exclusive. */
  get slotCount(): number {
    return this.#counts.length;
  }

  reserveSlot(slot: number): void {
    while (this.#counts.length <= slot) {
      this.#counts.push(0);
      this.#oldest.push(0);
      this.#newest.push(0);
    }
  }

  countOf(slot: number): number {
    return this.#counts[slot] ?? 0;
  }

  find(slot: number, low: number, high: number): number {
    return this.#table.find(low, high, slot);
  }

  /** Adds a holding in no tier at the newest end of its slot. Its node's list has to be linked by `setNextOfNode`. */
  add(slot: number, low: number, high: number, node: number): number {
    const id = this.#table.insert(low, high, slot);
    this.#words[id * recordWords + nodeWord] = node;
    this.#append(id, slot);
    return id;
  }

  delete(id: number): void {
    const slot = this.slot(id);
    this.#unlinkFromSlot(id, slot);
    this.#table.delete(id);
  }

  /** Makes a holding the newest of its slot. */
  touch(id: number): void {
    const slot = this.slot(id);
    if (this.#newest[slot] === id) return;
    this.#unlinkFromSlot(id, slot);
    this.#append(id, slot);
  }

  /** The engine's own hash. */
  low(id: number): number {
    return this.#words[id * recordWords] as number;
  }

  high(id: number): number {
    return this.#words[id * recordWords + 1] as number;
  }

  slot(id: number): number {
    return (this.#words[id * recordWords + slotWord] as number) & slotMask;
  }

  tiers(id: number): number {
    return (this.#words[id * recordWords + slotWord] as number) >>> tierShift;
  }

  setTiers(id: number, tiers: number): void {
    this.#words[id * recordWords + slotWord] = this.slot(id) | (tiers << tierShift);
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

  oldestOf(slot: number): number {
    return this.#oldest[slot] ?? 0;
  }

  newestOf(slot: number): number {
    return this.#newest[slot] ?? 0;
  }

  newerThan(id: number): number {
    return this.#words[id * recordWords + nextOfSlotWord] as number;
  }

  olderThan(id: number): number {
    return this.#words[id * recordWords + previousOfSlotWord] as number;
  }

  #append(id: number, slot: number): void {
    const words = this.#words;
    const at = id * recordWords;
    const newest = this.#newest[slot] as number;
    words[at + previousOfSlotWord] = newest;
    words[at + nextOfSlotWord] = 0;
    if (newest === 0) this.#oldest[slot] = id;
    else words[newest * recordWords + nextOfSlotWord] = id;
    this.#newest[slot] = id;
    this.#counts[slot] = (this.#counts[slot] as number) + 1;
  }

  #unlinkFromSlot(id: number, slot: number): void {
    const words = this.#words;
    const at = id * recordWords;
    const next = words[at + nextOfSlotWord] as number;
    const previous = words[at + previousOfSlotWord] as number;
    if (previous === 0) this.#oldest[slot] = next;
    else words[previous * recordWords + nextOfSlotWord] = next;
    if (next === 0) this.#newest[slot] = previous;
    else words[next * recordWords + previousOfSlotWord] = previous;
    this.#counts[slot] = (this.#counts[slot] as number) - 1;
  }
}
