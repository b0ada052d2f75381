/** Words of a record: 0 key low, 1 key high, 2 next in its hash chain (the table's), 3 tag, 4 to 7 the owner's. */
export const recordWords = 8;

/** Keys whose records are read together; for very few it is not worth the while. */
const prefetchedKeys = 128;
const leastPrefetchedKeys = 4;

/**
 * Records of eight u32 found by a 64-bit key and a tag: hash chains in typed arrays. The buckets are as many as the capacity
 * asks for from the start, so that there is never a rehash to wait for; memory is touched only as it is used: 32 bytes a
 * record, and at most 4 to 8 bytes for each of the capacity. Record ids are small integers from 1; 0 is none.
 */
export class RecordTable {
  /** Record `id` is at `id * recordWords`. Record 0 stays zero. */
  readonly words: Uint32Array;
  readonly #heads: Uint32Array;
  readonly #bucketMask: number;
  readonly #tagMask: number;
  readonly #capacity: number;
  #count = 0;
  #highest = 0;
  #free = 0;
  /** What `prefetch` has read, so that its reads are not left out. Means nothing. */
  warm = 0;
  readonly #first = new Uint32Array(prefetchedKeys);

  /**
   * @param capacity most records, 1 to 2^26
   * @param tagMask bits of word 3 that belong to the key
   */
  constructor(capacity: number, tagMask: number) {
    this.#capacity = capacity;
    this.#tagMask = tagMask;
    this.words = new Uint32Array((capacity + 1) * recordWords);
    const buckets = 2 ** Math.ceil(Math.log2(capacity));
    this.#heads = new Uint32Array(buckets);
    this.#bucketMask = buckets - 1;
  }

  get count(): number {
    return this.#count;
  }

  /** Highest id ever given out. */
  get highest(): number {
    return this.#highest;
  }

  get isFull(): boolean {
    return this.#count >= this.#capacity;
  }

  /** Id of the record with this key and tag, or 0. */
  find(low: number, high: number, tag: number): number {
    const words = this.words;
    const mask = this.#tagMask;
    let id = this.#heads[hash(low, high, tag) & this.#bucketMask] as number;
    while (id !== 0) {
      const at = id * recordWords;
      if (words[at] === low && words[at + 1] === high && ((words[at + 3] as number) & mask) === tag) return id;
      id = words[at + 2] as number;
    }
    return 0;
  }

  /**
   * Reads what finding or adding these keys will read. The reads do not wait for each other, which they would one key after the
   * other: a store of many blocks takes half the time (`bench/index`).
   * @param keys two u32 each, low first
   */
  prefetch(keys: Uint32Array, tag: number): void {
    if (keys.length < 2 * leastPrefetchedKeys) return;
    const heads = this.#heads;
    const words = this.words;
    const mask = this.#bucketMask;
    const first = this.#first;
    let read = 0;
    for (let from = 0; from < keys.length; from += 2 * prefetchedKeys) {
      const end = Math.min(keys.length, from + 2 * prefetchedKeys);
      for (let at = from; at < end; at += 2) {
        first[(at - from) >>> 1] = heads[hash(keys[at] as number, keys[at + 1] as number, tag) & mask] as number;
      }
      for (let i = (end - from) >>> 1; i > 0; i--) read |= words[(first[i - 1] as number) * recordWords] as number;
    }
    this.warm = read;
  }

  /** Adds a record whose words 4 to 7 are 0. The key must be new and the table not full. */
  insert(low: number, high: number, tag: number): number {
    const words = this.words;
    let id = this.#free;
    if (id === 0) id = ++this.#highest;
    else this.#free = words[id * recordWords + 2] as number;
    const at = id * recordWords;
    const bucket = hash(low, high, tag) & this.#bucketMask;
    words[at] = low;
    words[at + 1] = high;
    words[at + 2] = this.#heads[bucket] as number;
    words[at + 3] = tag;
    words[at + 4] = 0;
    words[at + 5] = 0;
    words[at + 6] = 0;
    words[at + 7] = 0;
    this.#heads[bucket] = id;
    this.#count++;
    return id;
  }

  /** Deletes a record of the table; its id may be given out again. */
  delete(id: number): void {
    const words = this.words;
    const at = id * recordWords;
    const tag = (words[at + 3] as number) & this.#tagMask;
    const bucket = hash(words[at] as number, words[at + 1] as number, tag) & this.#bucketMask;
    let before = 0;
    for (let other = this.#heads[bucket] as number; other !== id; other = words[other * recordWords + 2] as number) {
      before = other;
    }
    if (before === 0) this.#heads[bucket] = words[at + 2] as number;
    else words[before * recordWords + 2] = words[at + 2] as number;
    words[at + 2] = this.#free;
    this.#free = id;
    this.#count--;
  }
}

function hash(low: number, high: number, tag: number): number {
  let h = Math.imul(low ^ Math.imul(tag + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15) ^ high, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return h ^ (h >>> 16);
}
