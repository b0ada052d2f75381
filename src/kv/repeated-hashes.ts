import type { U64 } from "./xxh3.ts";

/** Runs up to this length are looked through pair by pair. */
const shortRun = 4;

let table = new Uint32Array(256);

/**
 * True when a run repeats a hash, or names one of its own as the block before it: such a run has no place in a chain.
 * @param hashes two u32 each, low first. O(hashes), about 5 ns each
 */
export function hasRepeatedHash(hashes: Uint32Array, parent: U64 | undefined): boolean {
  const count = hashes.length >>> 1;
  if (parent !== undefined && includes(hashes, 0, count, parent.low, parent.high)) return true;
  if (count <= shortRun) {
    for (let i = 1; i < count; i++) {
      if (includes(hashes, 0, i, hashes[2 * i] as number, hashes[2 * i + 1] as number)) return true;
    }
    return false;
  }
  return hasRepeatInTable(hashes, count);
}

function includes(hashes: Uint32Array, from: number, to: number, low: number, high: number): boolean {
  for (let i = from; i < to; i++) if (hashes[2 * i] === low && hashes[2 * i + 1] === high) return true;
  return false;
}

/** Open addressing: each place has the number of a hash + 1, 0 = free. */
function hasRepeatInTable(hashes: Uint32Array, count: number): boolean {
  const size = 2 ** Math.ceil(Math.log2(2 * count));
  if (table.length < size) table = new Uint32Array(size);
  else table.fill(0, 0, size);
  const places = table;
  for (let i = 0; i < count; i++) {
    const low = hashes[2 * i] as number;
    const high = hashes[2 * i + 1] as number;
    let place = Math.imul(low ^ (high >>> 7), 0x9e3779b1) >>> (32 - Math.log2(size));
    for (let other = places[place] as number; other !== 0; other = places[place] as number) {
      if (hashes[2 * other - 2] === low && hashes[2 * other - 1] === high) return true;
      place = (place + 1) & (size - 1);
    }
    places[place] = i + 1;
  }
  return false;
}
