/** A set of small whole numbers of which the lowest is found at once: bits, and above them levels of bits for the words that are not 0. */
export class RankSet {
  readonly #levels: readonly Int32Array[];

  /** @param bound one more than the highest number */
  constructor(bound: number) {
    const levels: Int32Array[] = [];
    let words = bound;
    do {
      words = Math.ceil(words / 32);
      levels.push(new Int32Array(words));
    } while (words > 1);
    this.#levels = levels;
  }

  add(rank: number): void {
    let index = rank;
    for (const words of this.#levels) {
      const bit = 1 << (index & 31);
      index >>>= 5;
      const before = words[index] as number;
      words[index] = before | bit;
      if (before !== 0) return;
    }
  }

  /** Takes the lowest number out; -1 when there is none. */
  takeLowest(): number {
    let index = 0;
    for (let level = this.#levels.length - 1; level >= 0; level--) {
      const word = this.#levels[level]?.[index] as number;
      if (word === 0) return -1;
      index = (index << 5) | (31 - Math.clz32(word & -word));
    }
    this.#remove(index);
    return index;
  }

  #remove(rank: number): void {
    let index = rank;
    for (const words of this.#levels) {
      const bit = 1 << (index & 31);
      index >>>= 5;
      const left = (words[index] as number) & ~bit;
      words[index] = left;
      if (left !== 0) return;
    }
  }
}
