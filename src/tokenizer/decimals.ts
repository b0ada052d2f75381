import { Buffer } from "node:buffer";

/** Ids whose decimals are in the table, which have six digits at most: nearly all of today's vocabularies. */
const tableIds = 1 << 18;
const entryBytes = 8;
const comma = 0x2c;

/** By id: its comma and digits as they stand in memory, and in the eighth byte how many they are; 0 where not written yet. */
let table: Uint32Array | undefined;
// No state outlives a call but what the table remembers, which is the same for all.
let scratch = Buffer.alloc(0);
/** Scratch memory that is kept. */
const maxKeptBytes = 1 << 20;

/**
 * `,1,22,333` for [1, 22, 333]. From a table, a word is two stores however many digits it has: half of the time that dividing takes.
 */
export function writeDecimals(ids: Uint32Array): Buffer {
  table ??= new Uint32Array(2 * tableIds);
  const room = (ids.length + 1) * 11;
  if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room);
  const length = fill(ids, table, scratch);
  const bytes = Buffer.allocUnsafeSlow(length);
  bytes.set(scratch.subarray(0, length));
  if (scratch.length > maxKeptBytes) scratch = Buffer.alloc(0);
  return bytes;
}

function fill(ids: Uint32Array, entries: Uint32Array, out: Buffer): number {
  const view = new DataView(out.buffer, out.byteOffset, out.length);
  let at = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number;
    if (id >= tableIds) {
      at = writeId(id, out, at);
      continue;
    }
    if (entries[2 * id] === 0) remember(id, entries);
    const high = entries[2 * id + 1] as number;
    view.setUint32(at, entries[2 * id] as number, true);
    view.setUint32(at + 4, high, true);
    at += high >>> 24;
  }
  return at;
}

function remember(id: number, entries: Uint32Array): void {
  const bytes = new Uint8Array(entryBytes);
  const length = writeId(id, bytes, 0);
  const view = new DataView(bytes.buffer);
  entries[2 * id] = view.getUint32(0, true);
  entries[2 * id + 1] = view.getUint32(4, true) | (length << 24);
}

/** @returns where the next one goes */
function writeId(id: number, out: Uint8Array, at: number): number {
  let end = at + 2;
  for (let bound = 10; id >= bound; bound *= 10) end++;
  let rest = id;
  for (let position = end - 1; position > at; position--) {
    const tenth = Math.floor(rest / 10);
    out[position] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  out[at] = comma;
  return end;
}
