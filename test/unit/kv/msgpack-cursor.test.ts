import fc from "fast-check";
import { Packr } from "msgpackr";
import { describe, expect, it } from "vitest";
import { MsgpackCursor, MsgpackError } from "../../../src/kv/msgpack-cursor.ts";

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: "bigint" });

/** Any value, read by asking the cursor for what is there. */
function read(cursor: MsgpackCursor): unknown {
  switch (cursor.kind) {
    case "nil":
      return cursor.takeNil() ? null : undefined;
    case "integer": {
      const value = cursor.takeInteger();
      return value === undefined ? undefined : BigInt.asIntN(64, (BigInt(value.high) << 32n) | BigInt(value.low));
    }
    case "float":
      return cursor.takeNumber();
    case "string":
      return cursor.takeString();
    case "bytes":
      return cursor.takeBytes()?.slice();
    case "array":
      return Array.from({ length: cursor.takeArray() }, () => read(cursor));
    case "map":
      return Array.from({ length: cursor.takeMap() }, () => [read(cursor), read(cursor)]);
    case "bool":
    case "extension":
      return cursor.skip(1);
  }
}

/** What `read` should give. */
function expected(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(expected);
  if (value instanceof Uint8Array) return value;
  if (typeof value === "boolean") return 0;
  if (typeof value === "bigint") return BigInt.asIntN(64, value);
  // The encoder writes longer integers as floats.
  if (typeof value === "number") return value >>> 0 === value || value >> 0 === value ? BigInt(value) : value;
  if (typeof value === "object" && value !== null) return Object.entries(value).map((pair) => pair.map(expected));
  return value;
}

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 64n) - 1n }),
  fc.double({ noNaN: true }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.string({ maxLength: 8 }), tie("value"), { maxKeys: 18, noNullPrototype: true }),
    },
  ),
}));

describe("MsgpackCursor", () => {
  it("reads what another encoder writes, and passes over it value by value", () => {
    fc.assert(
      fc.property(value, value, (first, second) => {
        const bytes = Buffer.concat([packr.pack(first), packr.pack(second)]);
        const cursor = new MsgpackCursor(bytes);
        expect(read(cursor)).toEqual(expected(first));
        expect(read(cursor)).toEqual(expected(second));
        expect(cursor.left).toBe(0);
        const skipping = new MsgpackCursor(bytes);
        for (let left = skipping.skip(1, 1); left > 0; left = skipping.skip(left, 1));
        expect(read(skipping)).toEqual(expected(second));
      }),
      { numRuns: 1_000 },
    );
  });

  it("fails with its own error, and only where the bytes end, on every beginning of a message", () => {
    fc.assert(
      fc.property(value, (whole) => {
        const bytes = packr.pack([whole]);
        for (let length = 0; length < bytes.length; length++) {
          expect(() => read(new MsgpackCursor(bytes.subarray(0, length)))).toThrow(MsgpackError);
          expect(() => new MsgpackCursor(bytes.subarray(0, length)).skip(1)).toThrow(MsgpackError);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("ends, with its own error or none, on any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        for (const use of [read, (cursor: MsgpackCursor) => cursor.skip(1)]) {
          try {
            use(new MsgpackCursor(bytes));
          } catch (error) {
            if (!(error instanceof MsgpackError)) expect(error).toBeInstanceOf(RangeError);
          }
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads unsigned words of every width up to the end of the bytes, and stops at anything else", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 0xffffffff }), { maxLength: 60 }), fc.boolean(), (words, hasMore) => {
        const parts = words.map((word) => packr.pack(word));
        const cursor = new MsgpackCursor(Buffer.concat([...parts, hasMore ? packr.pack(-1) : Buffer.alloc(0)]));
        const out = new Uint32Array(words.length + 3);
        expect(cursor.takeWords(out, 1, words.length + 2)).toBe(words.length);
        expect([...out.subarray(1, words.length + 1)]).toEqual(words);
        expect(cursor.left).toBe(hasMore ? 1 : 0);
      }),
    );
  });

  it.each([
    { bytes: [0xca, 0x3f, 0xc0, 0, 0], number: 1.5 },
    { bytes: [0xcf, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0], number: 0xffffffff * 2 ** 32 },
    { bytes: [0xd3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], number: -2 },
    { bytes: [0xd0, 0x80], number: -128 },
    { bytes: [0xd1, 0x7f, 0xff], number: 32_767 },
    { bytes: [0xd2, 0x80, 0, 0, 0], number: -(2 ** 31) },
    { bytes: [0xe0], number: -32 },
  ])("reads $bytes as $number", ({ bytes, number }) => {
    expect(new MsgpackCursor(Buffer.from(bytes)).takeNumber()).toBe(number);
  });

  it("passes over extensions", () => {
    const extensions = [
      [0xd4, 1, 9],
      [0xd8, 1, ...Array<number>(16).fill(9)],
      [0xc7, 3, 1, 9, 9, 9],
      [0xc8, 0, 1, 1, 9],
    ];
    const cursor = new MsgpackCursor(Buffer.from([...extensions.flat(), 7]));
    expect(cursor.skip(extensions.length)).toBe(0);
    expect(cursor.takeNumber()).toBe(7);
  });
});
