import { bytesOfToken } from "./byte-alphabet.ts";
import { sharedInt32, sharedUint8, sharedUint32 } from "./shared-arrays.ts";

/** A vocabulary by bytes: an open-addressing table of entries, which have a stretch of `bytes` each. */
export interface WholeWordTable {
  /** Entries by hash, -1 for none. */
  readonly slots: Int32Array;
  readonly ids: Int32Array;
  /** Where each entry's bytes begin; those of the next end them. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;
  /** Bytes of the longest entry. */
  readonly longest: number;
}

export function buildWholeWords(vocabulary: ReadonlyMap<string, number>): WholeWordTable {
  const entries: (readonly [Int32Array, number])[] = [];
  for (const [token, id] of vocabulary) {
    const bytes = bytesOfToken(token);
    if (bytes !== undefined) entries.push([Int32Array.from(bytes), id]);
  }
  let slotCount = 16;
  while (slotCount < entries.length * 2) slotCount *= 2;
  const slots = sharedInt32(slotCount).fill(-1);
  const ids = sharedInt32(entries.length);
  const starts = sharedUint32(entries.length + 1);
  const bytes = sharedUint8(entries.reduce((sum, [token]) => sum + token.length, 0));
  let longest = 0;
  entries.forEach(([token, id], entry) => {
    const start = starts[entry] as number;
    bytes.set(token, start);
    starts[entry + 1] = start + token.length;
    ids[entry] = id;
    longest = Math.max(longest, token.length);
    let slot = hashOf(token, token.length) & (slotCount - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = entry;
  });
  return { slots, ids, starts, bytes, longest };
}

/** The vocabulary by bytes, for models that take a word as it stands when it is a token (`ignore_merges`). */
export class WholeWords {
  readonly #table: WholeWordTable;
  readonly #mask: number;

  constructor(table: WholeWordTable) {
    this.#table = table;
    this.#mask = table.slots.length - 1;
  }

  /** Id of the token whose bytes are `bytes[0, length)`, or -1. */
  find(bytes: Int32Array, length: number): number {
    const { slots, ids, longest } = this.#table;
    if (length > longest) return -1;
    let slot = hashOf(bytes, length) & this.#mask;
    for (;;) {
      const entry = slots[slot] as number;
      if (entry < 0) return -1;
      if (this.#equals(entry, bytes, length)) return ids[entry] as number;
      slot = (slot + 1) & this.#mask;
    }
  }

  #equals(entry: number, wanted: Int32Array, length: number): boolean {
    const { starts, bytes } = this.#table;
    const start = starts[entry] as number;
    if ((starts[entry + 1] as number) - start !== length) return false;
    for (let index = 0; index < length; index++) {
      if (bytes[start + index] !== wanted[index]) return false;
    }
    return true;
  }
}

// Not keyed: only the vocabulary is stored, so a client can at most visit its longest chain.
function hashOf(bytes: Int32Array, length: number): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (bytes[index] as number), 0x0100_0193);
  return hash ^ (hash >>> 15);
}
