/** Positions ordered by rank, then by position, as a binary heap: the merge to do next in a long word. */
export class MergeQueue {
  // rank * 2^26 + position: exact in a double up to 2^26 symbols and ranks.
  #keys = new Float64Array(1 << 10);
  #merged = new Int32Array(1 << 10);
  #length = 0;

  push(rank: number, position: number, merged: number): void {
    if (this.#length === this.#keys.length) this.#grow();
    const key = rank * positions + position;
    const keys = this.#keys;
    let at = this.#length++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] as number) <= key) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, key, merged);
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Position of the first entry. */
  get position(): number {
    return (this.#keys[0] as number) % positions;
  }

  /** Merged id of the first entry. */
  get merged(): number {
    return this.#merged[0] as number;
  }

  /** Drops the first entry. */
  pop(): void {
    const length = --this.#length;
    if (length === 0) return;
    const keys = this.#keys;
    const key = keys[length] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) break;
      if (child + 1 < length && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, key, this.#merged[length] as number);
  }

  #put(at: number, key: number, merged: number): void {
    this.#keys[at] = key;
    this.#merged[at] = merged;
  }

  #move(from: number, to: number): void {
    this.#keys[to] = this.#keys[from] as number;
    this.#merged[to] = this.#merged[from] as number;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
    const merged = new Int32Array(keys.length);
    merged.set(this.#merged);
    this.#merged = merged;
  }
}

const positions = 2 ** 26;
