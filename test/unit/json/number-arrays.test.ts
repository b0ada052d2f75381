import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FieldError, JsonSyntaxError, liftNumberArrays, type NumberArray, parseJson } from "../../../src/json/index.ts";

const u32: NumberArray = { kind: "u32", maxItems: 1000 };
const i64: NumberArray = { kind: "i64", maxItems: 1000 };
const space = fc.constantFrom("", " ", "\n", "\t ", "\r\n");

function lift(text: string, wanted: Readonly<Record<string, NumberArray>> = { ids: u32 }) {
  return liftNumberArrays(Buffer.from(text), wanted);
}

function errorOf(text: string, wanted?: Readonly<Record<string, NumberArray>>): unknown {
  try {
    lift(text, wanted);
    return undefined;
  } catch (error) {
    return error;
  }
}

function bigIntegers(words: Uint32Array): bigint[] {
  return [...new BigInt64Array(Uint32Array.from(words).buffer)];
}

describe("liftNumberArrays", () => {
  it("reads token ids as JSON.parse does, whatever the spaces, and leaves the other members", () => {
    const ids = fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { maxLength: 200 });
    const others = fc.dictionary(
      fc.string().filter((key) => key !== "ids"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(ids, others, others, space, space, (values, before, after, a, b) => {
        const list = `[${a}${values.map((value) => `${b}${value}${a}`).join(",")}]`;
        const members = [
          JSON.stringify(before).slice(1, -1),
          `${a}"ids"${b}:${a}${list}${b}`,
          JSON.stringify(after).slice(1, -1),
        ];
        const lifted = lift(`${a}{${members.filter((text) => text !== "").join(",")}}${b}`);
        expect([...(lifted.arrays.get("ids") ?? [])]).toEqual(values);
        expect(JSON.parse(lifted.rest.toString())).toEqual(
          JSON.parse(JSON.stringify({ ...before, ids: [], ...after })),
        );
      }),
    );
  });

  it("reads signed 64-bit integers to the last bit, as BigInt does", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n })), (values) => {
        const lifted = lift(`{"hashes":[${values.join(", ")}]}`, { hashes: i64 });
        expect(bigIntegers(lifted.arrays.get("hashes") ?? new Uint32Array())).toEqual(values);
      }),
    );
  });

  it.each(["-9223372036854775808", "9223372036854775807", "0", "-1", "4294967296", "-4294967296"])(
    "reads the edge %s",
    (text) => {
      const lifted = lift(`{"hashes":[${text}]}`, { hashes: i64 });
      expect(bigIntegers(lifted.arrays.get("hashes") ?? new Uint32Array())).toEqual([BigInt(text)]);
    },
  );

  it.each([
    "-1",
    "1.0",
    "1e2",
    "-0",
    "4294967296",
    "99999999999999999999999999999999999999",
    '"1"',
    "null",
    "true",
    "[1]",
    "{}",
  ])("names the item that is another value than a token id: %s", (item) => {
    const error = errorOf(`{"ids":[7,${item},8]}`);
    expect(error).toBeInstanceOf(FieldError);
    expect((error as FieldError).path).toBe("ids[1]");
  });

  it.each(["9223372036854775808", "-9223372036854775809", "1.5", "-0", "10000000000000000000000"])(
    "names the item that is no signed 64-bit integer: %s",
    (item) => {
      expect((errorOf(`{"hashes":[${item}]}`, { hashes: i64 }) as FieldError).path).toBe("hashes[0]");
    },
  );

  it.each(["[1,]", "[,]", "[01]", "[1 2]", "[1", "[1,", "[-]", "[1.]", "[x]", "[1}", "[00]", "["])(
    "says where a list is not JSON: %s",
    (list) => {
      expect(errorOf(`{"ids":${list}`)).toBeInstanceOf(JsonSyntaxError);
      expect(() => JSON.parse(`{"ids":${list}}`)).toThrow();
    },
  );

  it.each([1, 3, 16, 31, 32, 33, 65, 130])("takes %i items and not one more when so many are allowed", (maxItems) => {
    const wanted = { ids: { kind: "u32", maxItems }, hashes: { kind: "i64", maxItems } } as const;
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1));
    expect(lift(`{"ids":${list(maxItems)}}`, wanted).arrays.get("ids")).toHaveLength(maxItems);
    expect(lift(`{"hashes":${list(maxItems)}}`, wanted).arrays.get("hashes")).toHaveLength(2 * maxItems);
    expect((errorOf(`{"ids":${list(maxItems + 1)}}`, wanted) as FieldError).path).toBe("ids");
    expect((errorOf(`{"hashes":${list(maxItems + 1)}}`, wanted) as FieldError).path).toBe("hashes");
  });

  it("refuses a wanted member that is given twice", () => {
    expect((errorOf('{"ids":[1],"ids":[2]}') as FieldError).path).toBe("ids");
  });

  it.each([
    '{"a":{"ids":[1]},"b":"\\"ids\\":[1]","ids":null}',
    '{"\\u0069ds":[1]}',
    '[{"ids":[1]}]',
    '"ids"',
    "",
    "{",
    '{"ids":[1]} x',
    '{"ids":[1],}',
    '{"ids":[1]"b":2}',
    '{"ids" [1]}',
    '{"a":"unterminated,"ids":[1]}',
    '{"a":[1,{"b":]},"ids":[1]}',
    '{"a":tru,"ids":[1]}',
  ])("never makes JSON of what is not: %s", (text) => {
    const rest = () => parseJson(lift(text).rest);
    const whole = () => parseJson(Buffer.from(text));
    if (isJson(text)) expect(rest).not.toThrow();
    else expect(rest).toThrow(JsonSyntaxError);
    expect(isJson(text)).toBe(!throws(whole));
  });

  it("judges mutilated texts as the parser does", () => {
    const text = '{"m":"a\\\\\\"b","ids":[1, 22 ,333],"x":{"ids":[4],"y":[{}," ]"]},"hashes":[-1,9]}';
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom(...'{}[]",:\\ 019-.etx'),
        fc.boolean(),
        (at, character, replaces) => {
          const mutilated = text.slice(0, at) + character + text.slice(replaces ? at + 1 : at);
          let verdict: boolean;
          try {
            const lifted = lift(mutilated, { ids: u32, hashes: i64 });
            parseJson(lifted.rest);
            verdict = true;
          } catch (error) {
            // A wanted list with another value in it is still JSON, and so may be the text.
            if (error instanceof FieldError) return;
            verdict = false;
          }
          expect(verdict).toBe(isJson(mutilated));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function isJson(text: string): boolean {
  return !throws(() => JSON.parse(text));
}

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
