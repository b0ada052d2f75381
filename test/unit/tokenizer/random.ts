/** Numbers from a seed (mulberry32), the same on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** 0 <= n < bound */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new RangeError("nothing to pick from");
    return item;
  }

  /** `count` times what `make` gives, joined. */
  text(count: number, make: () => string): string {
    let text = "";
    for (let index = 0; index < count; index++) text += make();
    return text;
  }
}
