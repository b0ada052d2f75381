import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeDecimals } from "../../../src/tokenizer/decimals.ts";

function expected(ids: readonly number[]): string {
  return ids.map((id) => `,${id}`).join("");
}

describe("writeDecimals", () => {
  it("writes each id after a comma, at every length", () => {
    const ids = Array.from({ length: 10 }, (_, digits) => [10 ** digits - 1, 10 ** digits]).flat();
    ids.push(0, 262_143, 262_144, 4_294_967_295, 1);
    expect(writeDecimals(Uint32Array.from(ids)).toString()).toBe(expected(ids));
    expect(writeDecimals(new Uint32Array(0))).toHaveLength(0);
  });

  it("does so for any ids, those that it has met too", () => {
    const id = fc.oneof(fc.nat(300), fc.nat(300_000), fc.integer({ min: 0, max: 0xffff_ffff }));
    fc.assert(
      fc.property(fc.array(id, { maxLength: 200 }), (ids) => {
        expect(writeDecimals(Uint32Array.from(ids)).toString()).toBe(expected(ids));
      }),
    );
  });
});
