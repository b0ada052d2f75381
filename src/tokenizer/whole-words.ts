import { bytesOfToken } from "./byte-alphabet.ts";

/** The vocabulary by bytes, for models that take a word as it stands when it is a token (`ignore_merges`). */
export class WholeWords {
  readonly #slots: Int32Array;
  readonly #mask: number;
  readonly #ids: Int32Array;
  readonly #starts: Uint32Array;
  #bytes = new Uint8Array(1 << 20);
  #count = 0;
  #longest = 0;

  constructor(vocabulary: ReadonlyMap<string, number>) {
    let slotCount = 16;
    while (slotCount < vocabulary.size * 2) slotCount *= 2;
    this.#slots = new Int32Array(slotCount).fill(-1);
    this.#mask = slotCount - 1;
    this.#ids = new Int32Array(vocabulary.size);
    this.#starts = new Uint32Array(vocabulary.size + 1);
    for (const [token, id] of vocabulary) this.#add(bytesOfToken(token), id);
  }

  /** Id of the token whose bytes are `bytes[0, length)`, or -1. */
  find(bytes: Int32Array, length: number): number {
    if (length > this.#longest) return -1;
    let slot = hashOf(bytes, length) & this.#mask;
    for (;;) {
      const entry = this.#slots[slot] as number;
      if (entry < 0) return -1;
      if (this.#equals(entry, bytes, length)) return this.#ids[entry] as number;
      slot = (slot + 1) & this.#mask;
    }
  }

  #add(token: readonly number[] | undefined, id: number): void {
    if (token === undefined) return;
    const bytes = Int32Array.from(token);
    const start = this.#starts[this.#count] as number;
    while (start + bytes.length > this.#bytes.length) this.#grow();
    this.#bytes.set(bytes, start);
    this.#ids[this.#count] = id;
    this.#longest = Math.max(this.#longest, bytes.length);
    let slot = hashOf(bytes, bytes.length) & this.#mask;
    while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask;
    this.#slots[slot] = this.#count++;
    this.#starts[this.#count] = start + bytes.length;
  }

  #equals(entry: number, bytes: Int32Array, length: number): boolean {
    const start = this.#starts[entry] as number;
    if ((this.#starts[entry + 1] as number) - start !== length) return false;
    for (let index = 0; index < length; index++) {
      if (this.#bytes[start + index] !== bytes[index]) return false;
    }
    return true;
  }

  #grow(): void {
    const grown = new Uint8Array(this.#bytes.length * 2);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

// Not keyed: only the vocabulary is stored, so a client can at most visit its longest chain.
function hashOf(bytes: Int32Array, length: number): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}
