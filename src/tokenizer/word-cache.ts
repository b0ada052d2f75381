import type { IdBuffer } from "./id-buffer.ts";
import { type FillRandom, maxHashedUnits, WordHash } from "./word-hash.ts";

const slotBits = 17;
const slotMask = (1 << slotBits) - 1;
/** Numbers in a slot: hash, shape, id or where the ids start, and the units or where they start. */
const slotSize = 8;
const inlineUnits = 10;
const maxWords = 80_000;
const maxLongUnits = 1 << 19;
const maxIds = 1 << 18;
/** Ids of a cached word at most; more are rare and would crowd out the others. */
const maxIdsOfWord = 0xff;

/**
 * Token ids of the words met lately, in typed arrays of a fixed size (6 MB): no object, string or closure a word. A slot holds all that is known of a word of up to 10 units and
 * one id, so that meeting it costs one line of memory. It is emptied when full, which costs one pass of merging again.
 */
export class WordCache {
  readonly #hash: WordHash;
  readonly #slots = new Int32Array(slotSize << slotBits);
  /** The slots as units. */
  readonly #slotUnits = new Uint16Array(this.#slots.buffer);
  readonly #longUnits = new Uint16Array(maxLongUnits);
  readonly #ids = new Uint32Array(maxIds);
  #wordCount = 0;
  #longUnitCount = 0;
  #idCount = 0;
  /** Where the word that was looked for last would go, -1 for nowhere, and its hash. */
  #freeSlot = -1;
  #lastHash = 0;

  constructor(fillRandom: FillRandom) {
    this.#hash = new WordHash(fillRandom);
  }

  /** Appends the ids of the word `units[start, end)` to `out`; false when it is not known. */
  append(units: Uint16Array, start: number, end: number, out: IdBuffer): boolean {
    const slot = this.#find(units, start, end);
    if (slot < 0) return false;
    const count = (this.#slots[slot + 1] as number) & 0xff;
    const first = this.#slots[slot + 2] as number;
    if (count === 1) out.push(first);
    else out.append(this.#ids, first, first + count);
    return true;
  }

  /** Remembers the ids `source[0, count)` of the word for which `append` has just answered false. */
  add(units: Uint16Array, start: number, end: number, source: Int32Array, count: number): void {
    const slot = this.#freeSlot;
    if (slot < 0 || count > maxIdsOfWord) return;
    if (this.#isFull(end - start, count)) {
      this.#clear();
      return; // the next time it is met
    }
    const slots = this.#slots;
    slots[slot] = this.#lastHash;
    slots[slot + 1] = shapeOf(end - start, count);
    slots[slot + 2] = count === 1 ? (source[0] as number) : this.#addIds(source, count);
    if (end - start > inlineUnits) slots[slot + 3] = this.#addLongUnits(units, start, end);
    else this.#slotUnits.set(units.subarray(start, end), 2 * slot + 6);
    this.#wordCount++;
  }

  /** Slot of the word, or -1; then `#freeSlot` is where it belongs. */
  #find(units: Uint16Array, start: number, end: number): number {
    const length = end - start;
    if (length > maxHashedUnits) {
      this.#freeSlot = -1;
      return -1;
    }
    const hash = this.#hash.of(units, start, end);
    const slots = this.#slots;
    for (let index = hash >>> (32 - slotBits); ; index = (index + 1) & slotMask) {
      const slot = index * slotSize;
      const shape = slots[slot + 1] as number;
      if (shape === 0) {
        this.#freeSlot = slot;
        this.#lastHash = hash;
        return -1;
      }
      if (slots[slot] === hash && shape >>> 8 === length && this.#equals(slot, units, start, end)) return slot;
    }
  }

  #equals(slot: number, units: Uint16Array, start: number, end: number): boolean {
    const isLong = end - start > inlineUnits;
    const known = isLong ? this.#longUnits : this.#slotUnits;
    let at = isLong ? (this.#slots[slot + 3] as number) : 2 * slot + 6;
    for (let index = start; index < end; index++, at++) {
      if (known[at] !== units[index]) return false;
    }
    return true;
  }

  #isFull(length: number, count: number): boolean {
    return (
      this.#wordCount === maxWords || this.#longUnitCount + length > maxLongUnits || this.#idCount + count > maxIds
    );
  }

  #addIds(source: Int32Array, count: number): number {
    const first = this.#idCount;
    for (let index = 0; index < count; index++) this.#ids[first + index] = source[index] as number;
    this.#idCount += count;
    return first;
  }

  #addLongUnits(units: Uint16Array, start: number, end: number): number {
    const first = this.#longUnitCount;
    this.#longUnits.set(units.subarray(start, end), first);
    this.#longUnitCount += end - start;
    return first;
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#wordCount = 0;
    this.#longUnitCount = 0;
    this.#idCount = 0;
    this.#freeSlot = -1;
  }
}

/** Never 0: a word has at least one unit. */
function shapeOf(length: number, count: number): number {
  return (length << 8) | count;
}
