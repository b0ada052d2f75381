import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BodyGatherer } from "../../../../src/surface/ext-proc/body-gatherer.ts";

function gather(chunks: readonly Buffer[], announcedBytes: number | undefined): Buffer {
  const gatherer = new BodyGatherer(announcedBytes);
  for (const chunk of chunks) gatherer.add(chunk);
  return gatherer.take();
}

describe("BodyGatherer", () => {
  it("gives back the bytes in order, whatever length was announced", () => {
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

  it("hands on a body of one chunk without copying it, also when an empty last chunk follows", () => {
    const chunk = Buffer.from("{}");
    expect(gather([chunk, Buffer.alloc(0)], 2)).toBe(chunk);
  });

  it("holds few buffers for a body that comes byte by byte, between longer chunks too", () => {
    const gatherer = new BodyGatherer(undefined);
    const parts = Array.from({ length: 200_000 }, (_, i) => Buffer.alloc(i % 50_000 === 7 ? 5_000 : 1, i));
    for (const part of parts) gatherer.add(part);
    expect(gatherer.bufferCount).toBeLessThan(20);
    expect(gatherer.take().equals(Buffer.concat(parts))).toBe(true);
  });

  it("is empty after the body was taken", () => {
    const gatherer = new BodyGatherer(undefined);
    gatherer.add(Buffer.from("ab"));
    gatherer.take();
    expect([gatherer.length, gatherer.take().length]).toEqual([0, 0]);
  });
});
