/** The bytes that one or more caches may take together. */
export class CacheBudget {
  /** Advances each time that half of the bytes have been charged; what was last used two generations ago is forgotten. */
  generation = 0;
  /** For whole prompts, of each tokenizer: the quarter that is not charged here. */
  readonly promptBytes: number;
  readonly #halfBytes: number;
  #chargedBytes = 0;

  /** @param bytes default 256 MiB; 0 keeps nothing beyond the entry in use */
  constructor(bytes = 256 * 2 ** 20) {
    if (!(bytes >= 0)) throw new RangeError(`the cache's size must be >= 0 bytes, got ${bytes}`);
    this.promptBytes = bytes / 4;
    this.#halfBytes = (bytes - this.promptBytes) / 2;
  }

  charge(bytes: number): void {
    this.#chargedBytes += bytes;
    if (this.#chargedBytes <= this.#halfBytes) return;
    this.#chargedBytes = bytes;
    this.generation++;
  }
}
