import { sharedInt32, sharedUint8 } from "./shared-arrays.ts";

/** Rank of a pair that does not merge: above every other. */
export const noRank = 0x7fff_ffff;

const emptySlot = -1;
const slotSize = 4;
const squareBits = 8;

/** The memory of a table of merges, to be shared between threads once it is filled. */
export interface MergeSlots {
  /** Left id, right id, rank, merged id. */
  readonly slots: Int32Array;
  /** Number of a common symbol by its id, 0 for the others. */
  readonly common: Uint8Array;
  /** Rank and merged id by the numbers of two common symbols. */
  readonly square: Int32Array;
}

/**
 * Which pairs of token ids merge: an open-addressing table, and before it a square for the pairs of common symbols (bytes, ASCII characters), with
 * which every word begins: a few lines of memory hold most of what is looked up there. The ranks decide the order, lowest first.
 */
export class MergeTable {
  readonly memory: MergeSlots;
  /** Merged id of the pair that was looked for last. */
  merged = -1;
  readonly #slots: Int32Array;
  readonly #common: Uint8Array;
  readonly #square: Int32Array;

  constructor(memory: MergeSlots) {
    this.memory = memory;
    this.#slots = memory.slots;
    this.#common = memory.common;
    this.#square = memory.square;
  }

  /**
   * @param capacity most merges that will be added
   * @param common ids of common symbols; the first 255 count
   * @param idBound one more than the highest id
   */
  static empty(capacity: number, common: Iterable<number>, idBound: number): MergeTable {
    let slotCount = 16;
    while (slotCount < capacity * 1.6) slotCount *= 2;
    const numbers = sharedUint8(idBound);
    let last = 0;
    for (const id of common) if (last < 255 && numbers[id] === 0) numbers[id] = ++last;
    const square = sharedInt32(2 << (2 * squareBits));
    for (let at = 0; at < square.length; at += 2) square[at] = noRank;
    return new MergeTable({ slots: sharedInt32(slotCount * slotSize).fill(emptySlot), common: numbers, square });
  }

  /** One more than the highest rank that fits. */
  get rankBound(): number {
    return this.#slots.length / slotSize;
  }

  /** A pair that is added again takes the later rank, as in the official engine. */
  add(left: number, right: number, rank: number, merged: number): void {
    const slots = this.#slots;
    let at = this.#home(left, right);
    while (slots[at] !== emptySlot && !(slots[at] === left && slots[at + 1] === right)) at = this.#following(at);
    slots[at] = left;
    slots[at + 1] = right;
    slots[at + 2] = rank;
    slots[at + 3] = merged;
    const [first, second] = [this.#common[left] as number, this.#common[right] as number];
    if (first === 0 || second === 0) return;
    const cell = 2 * ((first << squareBits) | second);
    this.#square[cell] = rank;
    this.#square[cell + 1] = merged;
  }

  /** Rank of a pair, whose merged id is then `merged`; `noRank` when it does not merge. */
  rank(left: number, right: number): number {
    const first = this.#common[left] as number;
    const second = this.#common[right] as number;
    if (first === 0 || second === 0) return this.#rankInSlots(left, right);
    const cell = 2 * ((first << squareBits) | second);
    this.merged = this.#square[cell + 1] as number;
    return this.#square[cell] as number;
  }

  #rankInSlots(left: number, right: number): number {
    const slots = this.#slots;
    let at = this.#home(left, right);
    for (;;) {
      const found = slots[at];
      if (found === left && slots[at + 1] === right) {
        this.merged = slots[at + 3] as number;
        return slots[at + 2] as number;
      }
      if (found === emptySlot) return noRank;
      at = this.#following(at);
    }
  }

  #home(left: number, right: number): number {
    const mixed = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca6b);
    return ((mixed ^ (mixed >>> 15)) * slotSize) & (this.#slots.length - 1);
  }

  #following(at: number): number {
    return (at + slotSize) & (this.#slots.length - 1);
  }
}
