/** Most slots and, at one time, holders: a block keeps its holder in 20 bits. */
export const maxHolders = 1 << 20;

/**
 * Who holds blocks. A slot that is cleared gets another holder at once; the old one stands for nobody and is emptied bit by bit,
 * so that clearing takes no time however much was held.
 */
export class Holders {
  /** By slot: its holder + 1, 0 = none yet. */
  readonly #holderOf: number[] = [];
  /** By holder: its slot, -1 = nobody. */
  #slotOf = new Int32Array(64).fill(-1);
  readonly #free: number[] = [];
  readonly #leaving: number[] = [];
  #limit = 0;

  /** No holder in use is >= this. */
  get limit(): number {
    return this.#limit;
  }

  /** Slots of holders, by holder: -1 = nobody's. Replaced when it grows. */
  get slots(): Int32Array {
    return this.#slotOf;
  }

  /** Holders of nobody that may still have blocks. */
  get leaving(): readonly number[] {
    return this.#leaving;
  }

  /** Holders that stand for a slot. */
  *inUse(): Generator<number> {
    for (let holder = 0; holder < this.#limit; holder++) if (this.#slotOf[holder] !== -1) yield holder;
  }

  /** Holder of a slot, or -1. */
  of(slot: number): number {
    return (this.#holderOf[slot] ?? 0) - 1;
  }

  /** Holder of a slot, made when it has none. Throws RangeError when `slot` is not an integer from 0 to 2^20 - 1. */
  take(slot: number): number {
    const known = this.of(slot);
    if (known >= 0) return known;
    if (!(Number.isInteger(slot) && slot >= 0 && slot < maxHolders)) throw new RangeError(`not a slot: ${slot}`);
    while (this.#holderOf.length <= slot) this.#holderOf.push(0);
    const holder = this.#free.pop() ?? this.#limit++;
    if (holder >= this.#slotOf.length) {
      const wider = new Int32Array(2 * this.#slotOf.length).fill(-1);
      wider.set(this.#slotOf);
      this.#slotOf = wider;
    }
    this.#slotOf[holder] = slot;
    this.#holderOf[slot] = holder + 1;
    return holder;
  }

  /** Parts a slot from its holder, which is to be emptied and then given to `release`. */
  part(slot: number): void {
    const holder = this.of(slot);
    if (holder < 0) return;
    this.#holderOf[slot] = 0;
    this.#slotOf[holder] = -1;
    this.#leaving.push(holder);
  }

  /** The first of the leaving holders is empty. */
  release(): void {
    const holder = this.#leaving.shift();
    if (holder !== undefined) this.#free.push(holder);
  }
}
