import type { IdBuffer } from "./id-buffer.ts";
import { type FillRandom, maxHashedUnits, WordHash } from "./word-hash.ts";

const slotBits = 17;
const maxWords = 80_000;
const maxUnits = 1 << 20;
const maxIds = 1 << 19;
/** Ids of a cached word at most; more are rare and would crowd out the others. */
const maxIdsOfWord = 0xff;

/** Bytes that a full cache takes. */
export const wordCacheBytes = (1 << slotBits) * 4 + maxWords * 16 + maxUnits * 2 + maxIds * 4;

/**
 * Token ids of the words met lately, in typed arrays of a fixed size: no object, string or closure a word. It is emptied when full, which costs one
 * pass of merging again.
 */
export class WordCache {
  readonly #hash: WordHash;
  /** 1 + index of the word, 0 for none. */
  readonly #slots = new Int32Array(1 << slotBits);
  readonly #tags = new Int32Array(maxWords);
  readonly #unitStarts = new Uint32Array(maxWords + 1);
  readonly #idStarts = new Uint32Array(maxWords + 1);
  readonly #units = new Uint16Array(maxUnits);
  readonly #ids = new Uint32Array(maxIds);
  #count = 0;
  #freeSlot = -1;

  constructor(fillRandom: FillRandom) {
    this.#hash = new WordHash(fillRandom);
  }

  /** Appends the ids of the word `units[start, end)` to `out`; false when it is not known. */
  append(units: Uint16Array, start: number, end: number, out: IdBuffer): boolean {
    const word = this.#find(units, start, end);
    if (word < 0) return false;
    const idStarts = this.#idStarts;
    const first = idStarts[word] as number;
    const last = idStarts[word + 1] as number;
    if (last - first === 1) out.push(this.#ids[first] as number);
    else out.append(this.#ids, first, last);
    return true;
  }

  /** Remembers the ids `source[0, count)` of the word for which `append` has just answered false. */
  add(units: Uint16Array, start: number, end: number, source: Int32Array, count: number): void {
    if (this.#freeSlot < 0 || count > maxIdsOfWord) return;
    const word = this.#count;
    const unitStart = this.#unitStarts[word] as number;
    const idStart = this.#idStarts[word] as number;
    if (word === maxWords || unitStart + (end - start) > maxUnits || idStart + count > maxIds) {
      this.#clear();
      return; // the next time it is met
    }
    this.#units.set(units.subarray(start, end), unitStart);
    for (let index = 0; index < count; index++) this.#ids[idStart + index] = source[index] as number;
    this.#tags[word] = this.#hash.tag;
    this.#unitStarts[word + 1] = unitStart + (end - start);
    this.#idStarts[word + 1] = idStart + count;
    this.#slots[this.#freeSlot] = word + 1;
    this.#count = word + 1;
  }

  #find(units: Uint16Array, start: number, end: number): number {
    if (end - start > maxHashedUnits) {
      this.#freeSlot = -1;
      return -1;
    }
    this.#hash.hash(units, start, end);
    const { tag, slotHash } = this.#hash;
    const slots = this.#slots;
    let slot = slotHash >>> (32 - slotBits);
    for (;;) {
      const word = (slots[slot] as number) - 1;
      if (word < 0) {
        this.#freeSlot = slot;
        return -1;
      }
      if (this.#tags[word] === tag && this.#equals(word, units, start, end)) return word;
      slot = (slot + 1) & ((1 << slotBits) - 1);
    }
  }

  #equals(word: number, units: Uint16Array, start: number, end: number): boolean {
    const known = this.#units;
    let at = this.#unitStarts[word] as number;
    if ((this.#unitStarts[word + 1] as number) - at !== end - start) return false;
    for (let index = start; index < end; index++) {
      if (known[at++] !== units[index]) return false;
    }
    return true;
  }

  #clear(): void {
    this.#slots.fill(0);
    this.#count = 0;
    this.#freeSlot = -1;
  }
}
