const chunkLength = 65_536;

/** A list of numbers that grows without being copied: 8 bytes each, and at most one chunk that is not full. */
export class NumberColumn {
  readonly #chunks: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    const at = this.#length % chunkLength;
    if (at === 0) this.#chunks.push(new Float64Array(chunkLength));
    const chunk = this.#chunks.at(-1);
    if (chunk !== undefined) chunk[at] = value;
    this.#length++;
  }

  /** @param index below `length` */
  at(index: number): number {
    return this.#chunks[Math.floor(index / chunkLength)]?.[index % chunkLength] ?? Number.NaN;
  }
}
