/** Loopback addresses for pods, a fixed set of them: Envoy lists them all. */
export class PodAddresses {
  readonly all: readonly string[];
  #next = 0;

  /** @param net the third number of all of them @param count at most 254 */
  constructor(net: number, count: number) {
    this.all = Array.from({ length: count }, (_, i) => `127.0.${net}.${i + 1}`);
  }

  /** That which nobody has had for the longest time. Throws RangeError when all are taken. */
  next(taken: ReadonlySet<string>): string {
    for (let looks = 0; looks < this.all.length; looks++) {
      const address = this.all[this.#next++ % this.all.length] as string;
      if (!taken.has(address)) return address;
    }
    throw new RangeError(`there are addresses for ${this.all.length} pods`);
  }
}
