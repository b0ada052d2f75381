import { describe, expect, it } from "vitest";
import { BufferPool, MAX_POOLED_BYTES } from "../../../src/http/index.ts";

describe("BufferPool", () => {
  it.each([0, 1, 4_095, 4_096, 4_097, 65_536, 65_537, MAX_POOLED_BYTES, MAX_POOLED_BYTES + 1])(
    "gives room for %i bytes",
    (bytes) => {
      const pool = new BufferPool(MAX_POOLED_BYTES);
      const first = pool.take(bytes);
      expect(first.length).toBeGreaterThanOrEqual(bytes);
      pool.give(first);
      expect(pool.take(bytes).length).toBeGreaterThanOrEqual(bytes);
    },
  );

  it("uses a buffer again for what fits it, and hands it out once", () => {
    const pool = new BufferPool(1 << 20);
    const buffer = pool.take(70_000);
    pool.give(buffer);
    expect(pool.take(65_536)).not.toBe(buffer);
    expect(pool.take(131_072)).toBe(buffer);
    expect(pool.take(131_072)).not.toBe(buffer);
  });

  it("keeps no more than it may", () => {
    const pool = new BufferPool(20_000);
    const buffers = [pool.take(8_192), pool.take(8_192), pool.take(8_192)];
    for (const buffer of buffers) pool.give(buffer);
    const again = [pool.take(8_192), pool.take(8_192), pool.take(8_192)];
    expect(again.filter((buffer) => buffers.includes(buffer)).length).toBe(2);
  });
});
