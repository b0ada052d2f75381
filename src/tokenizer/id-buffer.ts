/** A growing list of token ids. */
export class IdBuffer {
  ids = new Uint32Array(1 << 8);
  length = 0;

  push(id: number): void {
    if (this.length === this.ids.length) this.reserve(1);
    this.ids[this.length++] = id;
  }

  /** Appends `source[start, end)`. */
  append(source: Int32Array | Uint32Array, start: number, end: number): void {
    this.reserve(end - start);
    const { ids } = this;
    let length = this.length;
    for (let index = start; index < end; index++) ids[length++] = source[index] as number;
    this.length = length;
  }

  /** Appends a whole array; the faster way for long ones. */
  appendAll(source: Uint32Array): void {
    this.reserve(source.length);
    this.ids.set(source, this.length);
    this.length += source.length;
  }

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.ids.length) return;
    const grown = new Uint32Array(Math.max(needed, this.ids.length * 2));
    grown.set(this.ids.subarray(0, this.length));
    this.ids = grown;
  }

  /** A copy of the list, which is emptied; memory beyond `keep` ids is given back. */
  take(keep = 1 << 16): Uint32Array {
    const taken = this.ids.slice(0, this.length);
    this.length = 0;
    if (this.ids.length > keep) this.ids = new Uint32Array(keep);
    return taken;
  }
}
