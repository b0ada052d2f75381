import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BufferPool, MAX_POOLED_BYTES } from "../../../../src/http/index.ts";
import { BodyGatherer } from "../../../../src/surface/ext-proc/body-gatherer.ts";

function gather(chunks: readonly Buffer[], announcedBytes: number | undefined): Buffer {
  const gatherer = new BodyGatherer(new BufferPool(1 << 20), announcedBytes);
  for (const chunk of chunks) {
    const lent = Buffer.from(chunk);
    gatherer.add(lent);
    lent.fill(0xff);
  }
  return gatherer.body;
}

describe("BodyGatherer", () => {
  it("gives back the bytes in order, whatever length was announced and whatever becomes of the chunks", () => {
    const chunks = fc.array(
      fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
      { maxLength: 8 },
    );
    const announced = fc.oneof(fc.constant(undefined), fc.nat(400), fc.constant(2 ** 40));
    fc.assert(
      fc.property(chunks, announced, (parts, announcedBytes) => {
        expect(gather(parts, announcedBytes).equals(Buffer.concat(parts))).toBe(true);
      }),
    );
  });

  it("does not copy a chunk that is too long for a pool", () => {
    const chunk = Buffer.alloc(MAX_POOLED_BYTES + 1, "x");
    const gatherer = new BodyGatherer(new BufferPool(1 << 20), undefined);
    gatherer.add(chunk);
    expect(gatherer.body.buffer).toBe(chunk.buffer);
    gatherer.add(Buffer.from("y"));
    expect(gatherer.body.toString("latin1", MAX_POOLED_BYTES)).toBe("xy");
  });

  it("takes memory for what has come, 1 MiB, or twice what has come, whatever is announced", () => {
    const gatherer = new BodyGatherer(new BufferPool(0), 2 ** 40);
    gatherer.add(Buffer.alloc(10));
    expect(gatherer.body.buffer.byteLength).toBe(1 << 20);
    for (let index = 0; index < 3; index += 1) gatherer.add(Buffer.alloc(700_000));
    expect(gatherer.body.buffer.byteLength).toBeLessThanOrEqual(2 * 2_100_010);
  });

  it("gives its memory back once, and is empty then", () => {
    const pool = new BufferPool(1 << 20);
    const gatherer = new BodyGatherer(pool, 8_192);
    gatherer.add(Buffer.from("ab"));
    const memory = gatherer.body.buffer;
    gatherer.release();
    gatherer.release();
    expect([gatherer.length, gatherer.body.length]).toEqual([0, 0]);
    expect([pool.take(8_192).buffer, pool.take(8_192).buffer].filter((buffer) => buffer === memory).length).toBe(1);
  });
});
