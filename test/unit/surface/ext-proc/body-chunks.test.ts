import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forEachChunk, MAX_CHUNK_BYTES, splicedParts } from "../../../../src/surface/ext-proc/body-chunks.ts";

function chunksOf(parts: readonly Buffer[]): { chunks: Buffer[]; lastFlags: boolean[] } {
  const chunks: Buffer[] = [];
  const lastFlags: boolean[] = [];
  forEachChunk(parts, (pieces, isLast) => {
    chunks.push(Buffer.concat(pieces));
    lastFlags.push(isLast);
  });
  return { chunks, lastFlags };
}

describe("forEachChunk", () => {
  it.each([
    { name: "an empty body is one empty chunk", lengths: [], sizes: [0] },
    { name: "a body of exactly one chunk is not followed by an empty one", lengths: [62_000], sizes: [62_000] },
    { name: "one byte more needs a second chunk", lengths: [62_001], sizes: [62_000, 1] },
    { name: "parts are joined across their seams", lengths: [61_999, 2, 62_000], sizes: [62_000, 62_000, 1] },
    { name: "many small parts make one chunk", lengths: [1, 2, 3], sizes: [6] },
  ])("$name", ({ lengths, sizes }) => {
    const { chunks, lastFlags } = chunksOf(lengths.map((length) => Buffer.alloc(length)));
    expect(chunks.map((chunk) => chunk.length)).toEqual(sizes);
    expect(lastFlags).toEqual(sizes.map((_, index) => index === sizes.length - 1));
  });

  it("keeps every byte in order, in chunks within the limit", () => {
    const part = fc.uint8Array({ maxLength: 90_000, size: "max" }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const { chunks } = chunksOf(parts.filter(({ length }) => length > 0));
        expect(Buffer.concat(chunks).equals(Buffer.concat(parts))).toBe(true);
        expect(Math.max(...chunks.map(({ length }) => length))).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
      }),
      { numRuns: 30 },
    );
  });

  it("copies nothing", () => {
    const parts = [Buffer.alloc(100_000), Buffer.alloc(100_000)];
    const origins = new Set<unknown>(parts.map(({ buffer }) => buffer));
    forEachChunk(parts, (pieces) => expect(pieces.every(({ buffer }) => origins.has(buffer))).toBe(true));
  });
});

describe("splicedParts", () => {
  it.each([
    { name: "no splice", splice: undefined, result: '{"a":1}' },
    {
      name: "insert",
      splice: { offset: 1, deleteBytes: 0, insert: [Buffer.from('"n":{},')] },
      result: '{"n":{},"a":1}',
    },
    { name: "replace", splice: { offset: 5, deleteBytes: 1, insert: [Buffer.from("22")] }, result: '{"a":22}' },
    {
      name: "in parts",
      splice: { offset: 1, deleteBytes: 5, insert: [Buffer.from('"b"'), Buffer.alloc(0), Buffer.from(":2")] },
      result: '{"b":2}',
    },
    { name: "at the very start", splice: { offset: 0, deleteBytes: 7, insert: [Buffer.from("[]")] }, result: "[]" },
  ])("$name", ({ splice, result }) => {
    expect(Buffer.concat(splicedParts(Buffer.from('{"a":1}'), splice)).toString()).toBe(result);
  });
});
