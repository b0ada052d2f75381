import { seededRandom } from "../../../support/load/index.ts";

/** How often an odd body has an odd value where it can. */
const oddity = 0.12;

/** A repeatable source of choices: equal seeds make equal choices. */
export class Chance {
  readonly #random: () => number;
  /** Of a body: what most servers refuse may stand in it. */
  readonly #isOdd: boolean;

  /**
   * @param seed u32
   * @param odd share of the seeds whose choices may be odd
   */
  constructor(seed: number, odd = 0.4) {
    this.#random = seededRandom(seed);
    this.#isOdd = this.is(odd);
  }

  /** One of `usual`; in an odd body sometimes one of `odd`. */
  usually<T>(usual: readonly T[], odd: readonly T[]): T {
    return this.isOdd() ? this.pick(odd) : this.pick(usual);
  }

  /** True now and then in an odd body, never in others. */
  isOdd(): boolean {
    return this.#isOdd && this.is(oddity);
  }

  /** A weight for {@link oneOf} that counts only in odd bodies. */
  odd(weight: number): number {
    return this.#isOdd ? weight : 0;
  }

  /** True in `probability` of all calls, 0 to 1. */
  is(probability: number): boolean {
    return this.#random() < probability;
  }

  /** least..most, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const index = this.integer(0, list.length - 1);
    if (index >= list.length) throw new RangeError("nothing to pick from");
    return list[index] as T;
  }

  /** One of the makers' results, each as likely as its weight says. */
  oneOf<T>(...makers: readonly (readonly [weight: number, make: () => T])[]): T {
    let rest = this.#random() * makers.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of makers) {
      rest -= weight;
      if (rest < 0) return make();
    }
    throw new RangeError("nothing to make");
  }

  /** least..most results of `make`. */
  list<T>(least: number, most: number, make: (index: number) => T): readonly T[] {
    return Array.from({ length: this.integer(least, most) }, (_, index) => make(index));
  }

  /** The result of `make` in `probability` of all calls, else undefined: the member is left out. */
  maybe<T>(probability: number, make: () => T): T | undefined {
    return this.is(probability) ? make() : undefined;
  }
}

/** The seed of the `index`th of the things that come from `seed`. u32 */
export function derivedSeed(seed: number, index: number): number {
  return (Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) + Math.imul(index + 1, 0xc2b2_ae35)) >>> 0;
}
