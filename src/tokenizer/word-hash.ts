/** Longest word, in UTF-16 units, that is hashed. */
export const maxHashedUnits = 48;

/** Fills an array with random numbers: `crypto.getRandomValues`, or a fixed sequence in tests. */
export type FillRandom = (numbers: Uint32Array<ArrayBuffer>) => void;

export const fillFromCrypto: FillRandom = (numbers) => {
  crypto.getRandomValues(numbers);
};

/**
 * Multilinear hashing with secret multipliers: the upper 17 bits of each sum are strongly universal over 16-bit units (Lemire, Kaser 2014, theorem
 * 1), so whoever does not know the multipliers cannot choose words that collide more often than random ones.
 */
export class WordHash {
  readonly #unitKeys = new Int32Array(maxHashedUnits);
  readonly #lengthKeys = new Int32Array(maxHashedUnits + 1);

  constructor(fillRandom: FillRandom) {
    fillRandom(new Uint32Array(this.#unitKeys.buffer));
    fillRandom(new Uint32Array(this.#lengthKeys.buffer));
  }

  /** Hash of `units[start, end)`, at most 48 units: choose a slot by its upper bits. */
  of(units: Uint16Array, start: number, end: number): number {
    const keys = this.#unitKeys;
    // The sums start from a number for each length, so that a word and its zero-padded likeness differ.
    let hash = this.#lengthKeys[end - start] as number;
    for (let index = start, key = 0; index < end; index++, key++) {
      hash = (hash + Math.imul(units[index] as number, keys[key] as number)) | 0;
    }
    return hash;
  }
}
