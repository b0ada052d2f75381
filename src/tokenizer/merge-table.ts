import { sharedInt32 } from "./shared-arrays.ts";

const emptySlot = -1;
/** Ids below are looked up in a square: in byte-level models they are the bytes, which every merge begins with. */
const squareBits = 9;
const squareSize = 1 << squareBits;

/** The memory of a table of merges, to be shared between threads once it is filled. */
export interface MergeSlots {
  /** Slots of four; see `rankOf` and `mergedOf`. */
  readonly slots: Int32Array;
  /** Handles by left and right id. */
  readonly square: Int32Array;
}

/**
 * Which pairs of token ids merge: an open-addressing table of four numbers a slot (left id, right id, rank, merged id). The ranks
 * decide the order, lowest first.
 */
export class MergeTable {
  readonly memory: MergeSlots;
  readonly #slots: Int32Array;
  readonly #mask: number;
  readonly #square: Int32Array;

  constructor(memory: MergeSlots) {
    this.memory = memory;
    this.#slots = memory.slots;
    this.#mask = memory.slots.length / 4 - 1;
    this.#square = memory.square;
  }

  /** @param capacity most merges that will be added */
  static empty(capacity: number): MergeTable {
    let slotCount = 16;
    while (slotCount < capacity * 1.6) slotCount *= 2;
    return new MergeTable({
      slots: sharedInt32(slotCount * 4).fill(emptySlot),
      square: sharedInt32(squareSize * squareSize).fill(-1),
    });
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
    if (isInSquare(left, right)) this.#square[(left << squareBits) | right] = at;
  }

  /** Handle of a pair for `rankOf` and `mergedOf`, or -1 when it does not merge. */
  find(left: number, right: number): number {
    if (isInSquare(left, right)) return this.#square[(left << squareBits) | right] as number;
    const slots = this.#slots;
    let at = this.#home(left, right);
    for (;;) {
      const found = slots[at];
      if (found === left && slots[at + 1] === right) return at;
      if (found === emptySlot) return -1;
      at = this.#following(at);
    }
  }

  rankOf(handle: number): number {
    return this.#slots[handle + 2] as number;
  }

  mergedOf(handle: number): number {
    return this.#slots[handle + 3] as number;
  }

  #home(left: number, right: number): number {
    const mixed = Math.imul(left, 0x9e37_79b1) ^ Math.imul(right, 0x85eb_ca6b);
    return ((mixed ^ (mixed >>> 15)) & this.#mask) * 4;
  }

  #following(at: number): number {
    return (at + 4) & (this.#mask * 4 + 3);
  }
}

function isInSquare(left: number, right: number): boolean {
  return (left | right) < squareSize;
}
