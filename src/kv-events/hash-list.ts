import { JsonStreamError } from "../json/index.ts";

/** Most hashes of one event: a prompt of millions of tokens. */
const maxHashes = 1_048_576;

/** Hashes that are told one by one, two u32 each, low first. Its memory is used again. */
export class HashList {
  #words = new Uint32Array(512);
  #length = 0;

  clear(): void {
    this.#length = 0;
  }

  /** Throws JsonStreamError when there are too many. */
  push(low: number, high: number): void {
    if (this.#length === this.#words.length) this.#grow();
    this.#words[this.#length++] = low;
    this.#words[this.#length++] = high;
  }

  /** A copy of them. */
  words(): Uint32Array {
    return this.#words.slice(0, this.#length);
  }

  #grow(): void {
    if (this.#length >= 2 * maxHashes) throw new JsonStreamError(`an event of over ${maxHashes} hashes`);
    const words = new Uint32Array(2 * this.#length);
    words.set(this.#words);
    this.#words = words;
  }
}
