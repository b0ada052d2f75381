import { sharedInt32, sharedUint16 } from "./shared-arrays.ts";

/** Numbers in a slot: hash, id, where the units begin, how many there are. */
const slotSize = 4;

/** Words that are one token each: an open-addressing table over one array of units. */
export interface WholeWordTable {
  /** A slot without units is empty. */
  readonly slots: Int32Array;
  readonly units: Uint16Array;
  /** Units of the longest word. */
  readonly longest: number;
}

/** @param words distinct and not empty, with their ids */
export function buildWholeWords(words: readonly (readonly [string, number])[]): WholeWordTable {
  let slotCount = 16;
  while (slotCount < words.length * 1.5) slotCount *= 2;
  const slots = sharedInt32(slotCount * slotSize);
  const units = sharedUint16(words.reduce((sum, [word]) => sum + word.length, 0));
  let used = 0;
  let longest = 0;
  for (const [word, id] of words) {
    for (let index = 0; index < word.length; index++) units[used + index] = word.charCodeAt(index);
    const hash = hashOf(units, used, used + word.length);
    let slot = (hash & (slotCount - 1)) * slotSize;
    while (slots[slot + 3] !== 0) slot = (slot + slotSize) & (slots.length - 1);
    slots[slot] = hash;
    slots[slot + 1] = id;
    slots[slot + 2] = used;
    slots[slot + 3] = word.length;
    used += word.length;
    longest = Math.max(longest, word.length);
  }
  return { slots, units, longest };
}

/** The words of which it is known that they are one token: no merge has to be done for them. */
export class WholeWords {
  readonly #slots: Int32Array;
  readonly #units: Uint16Array;
  readonly #longest: number;

  constructor({ slots, units, longest }: WholeWordTable) {
    this.#slots = slots;
    this.#units = units;
    this.#longest = longest;
  }

  /** Id of the token that the word `units[start, end)` is, or -1. */
  find(units: Uint16Array, start: number, end: number): number {
    const length = end - start;
    if (length > this.#longest) return -1;
    const slots = this.#slots;
    const hash = hashOf(units, start, end);
    for (let slot = (hash * slotSize) & (slots.length - 1); ; slot = (slot + slotSize) & (slots.length - 1)) {
      const found = slots[slot + 3] as number;
      if (found === 0) return -1;
      if (found === length && slots[slot] === hash && this.#equals(slots[slot + 2] as number, units, start, end))
        return slots[slot + 1] as number;
    }
  }

  #equals(known: number, units: Uint16Array, start: number, end: number): boolean {
    for (let index = start, at = known; index < end; index++, at++) {
      if (this.#units[at] !== units[index]) return false;
    }
    return true;
  }
}

// Not keyed: only the vocabulary is stored, so a client can at most visit its longest chain.
function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0x811c_9dc5 | 0;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ (units[index] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}
