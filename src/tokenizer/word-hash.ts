/** Longest word, in UTF-16 units, that is hashed. */
export const maxHashedUnits = 48;

/** Fills an array with random numbers: `crypto.getRandomValues`, or a fixed sequence in tests. */
export type FillRandom = (numbers: Uint32Array) => void;

export const fillFromCrypto: FillRandom = (numbers) => {
  crypto.getRandomValues(numbers);
};

/**
 * Multilinear hashing with secret multipliers: the upper 17 bits of each sum are strongly universal over 16-bit units (Lemire, Kaser 2014, theorem
 * 1), so whoever does not know the multipliers cannot choose words that collide more often than random ones.
 */
export class WordHash {
  /** Of the last word: choose a slot by its upper bits. */
  slotHash = 0;
  /** Of the last word: tells words in one slot apart. */
  tag = 0;
  readonly #slotKeys = new Uint32Array(maxHashedUnits);
  readonly #tagKeys = new Uint32Array(maxHashedUnits);
  readonly #lengthKeys = new Uint32Array(2 * (maxHashedUnits + 1));

  constructor(fillRandom: FillRandom) {
    fillRandom(this.#slotKeys);
    fillRandom(this.#tagKeys);
    fillRandom(this.#lengthKeys);
  }

  /** Hashes `units[start, end)`, at most 48 units. */
  hash(units: Uint16Array, start: number, end: number): void {
    const slotKeys = this.#slotKeys;
    const tagKeys = this.#tagKeys;
    const length = end - start;
    // The sums start from a number for each length, so that a word and its zero-padded likeness differ.
    let slotHash = this.#lengthKeys[2 * length] as number;
    let tag = this.#lengthKeys[2 * length + 1] as number;
    for (let index = 0; index < length; index++) {
      const unit = units[start + index] as number;
      slotHash = (slotHash + Math.imul(unit, slotKeys[index] as number)) | 0;
      tag = (tag + Math.imul(unit, tagKeys[index] as number)) | 0;
    }
    this.slotHash = slotHash;
    this.tag = tag;
  }
}
