/** Words of a record: 0 key low, 1 key high, 2 next in its hash chain (the table's), 3 tag, 4 to 7 the owner's. */
export const recordWords = 8;
const startBuckets = 16;

/**
 * Records of eight u32 found by a 64-bit key and a tag, all in typed arrays. Linear hashing: each insertion splits at most
 * one bucket, so that there is no rehash of the whole table to wait for (`bench/kv/index.ts`). Record ids are small integers
 * from 1; 0 is none. Memory is reserved for `capacity` records and touched only as they are used: 36 bytes a record.
 */
export class RecordTable {
  /** Record `id` is at `id * recordWords`. Record 0 stays zero. */
  readonly words: Uint32Array;
  readonly #heads: Uint32Array;
  readonly #tagMask: number;
  readonly #capacity: number;
  #base = startBuckets;
  #buckets = startBuckets;
  #count = 0;
  #highest = 0;
  #free = 0;

  /**
   * @param capacity most records, 1 to 2^26
   * @param tagMask bits of word 3 that belong to the key
   */
  constructor(capacity: number, tagMask: number) {
    this.#capacity = capacity;
    this.#tagMask = tagMask;
    this.words = new Uint32Array((capacity + 1) * recordWords);
    this.#heads = new Uint32Array(Math.max(startBuckets, capacity));
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
    let id = this.#heads[this.#bucket(hash(low, high, tag))] as number;
    while (id !== 0) {
      const at = id * recordWords;
      if (words[at] === low && words[at + 1] === high && ((words[at + 3] as number) & mask) === tag) return id;
      id = words[at + 2] as number;
    }
    return 0;
  }

  /** Adds a record whose words 4 to 7 are 0. The key must be new and the table not full. */
  insert(low: number, high: number, tag: number): number {
    const words = this.words;
    let id = this.#free;
    if (id === 0) id = ++this.#highest;
    else this.#free = words[id * recordWords + 2] as number;
    const at = id * recordWords;
    const bucket = this.#bucket(hash(low, high, tag));
    words[at] = low;
    words[at + 1] = high;
    words[at + 2] = this.#heads[bucket] as number;
    words[at + 3] = tag;
    words.fill(0, at + 4, at + recordWords);
    this.#heads[bucket] = id;
    this.#count++;
    if (this.#count > this.#buckets && this.#buckets < this.#heads.length) this.#split();
    return id;
  }

  /** Deletes a record of the table; its id may be given out again. */
  delete(id: number): void {
    const words = this.words;
    const at = id * recordWords;
    const bucket = this.#bucket(this.#hashAt(at));
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

  #hashAt(at: number): number {
    const words = this.words;
    return hash(words[at] as number, words[at + 1] as number, (words[at + 3] as number) & this.#tagMask);
  }

  #bucket(hashed: number): number {
    const bucket = hashed & (2 * this.#base - 1);
    return bucket < this.#buckets ? bucket : bucket & (this.#base - 1);
  }

  #split(): void {
    const words = this.words;
    const added = this.#buckets++;
    let id = this.#heads[added - this.#base] as number;
    let kept = 0;
    let moved = 0;
    while (id !== 0) {
      const at = id * recordWords;
      const next = words[at + 2] as number;
      if ((this.#hashAt(at) & (2 * this.#base - 1)) === added) {
        words[at + 2] = moved;
        moved = id;
      } else {
        words[at + 2] = kept;
        kept = id;
      }
      id = next;
    }
    this.#heads[added - this.#base] = kept;
    this.#heads[added] = moved;
    if (this.#buckets === 2 * this.#base) this.#base = this.#buckets;
  }
}

function hash(low: number, high: number, tag: number): number {
  let h = Math.imul(low ^ Math.imul(tag + 1, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15) ^ high, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return h ^ (h >>> 16);
}
