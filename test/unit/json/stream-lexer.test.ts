import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonParts, JsonStreamError, JsonStreamLexer, jsonTextOf } from "../../../src/json/index.ts";

/** Puts the value together again from what the lexer tells. */
class Rebuilt implements JsonParts {
  readonly #open: { value: unknown[] | Record<string, unknown>; key: string }[] = [];
  result: unknown;

  open(isArray: boolean): void {
    const value = isArray ? [] : Object.create(null);
    this.#put(value);
    this.#open.push({ value, key: "" });
  }

  close(): void {
    this.#open.pop();
  }

  key(bytes: Buffer): void {
    const top = this.#open.at(-1);
    if (top !== undefined) top.key = jsonTextOf(bytes);
  }

  text(bytes: Buffer): void {
    this.#put(jsonTextOf(bytes));
  }

  number(isInteger: boolean, low: number, high: number): void {
    this.#put(isInteger ? (BigInt(high) << 32n) | BigInt(low) : "not an integer of 64 bits");
  }

  literal(value: boolean | null): void {
    this.#put(value);
  }

  #put(value: unknown): void {
    const top = this.#open.at(-1);
    if (top === undefined) this.result = value;
    else if (Array.isArray(top.value)) top.value.push(value);
    else top.value[top.key] = value;
  }
}

function read(text: string | Buffer, size = 1_000_000): unknown {
  const bytes = Buffer.from(text);
  const rebuilt = new Rebuilt();
  const lexer = new JsonStreamLexer(rebuilt);
  for (let at = 0; at < bytes.length; at += size) lexer.read(bytes.subarray(at, at + size));
  lexer.end();
  return rebuilt.result;
}

/** What `JSON.parse` makes of a text, with integers as those of 64 bits. */
function expected(text: string): unknown {
  return JSON.parse(text, (_, value, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.assign(Object.create(null), value);
    }
    if (typeof value !== "number" || source === undefined) return value;
    if (!/^-?\d+$/.test(source)) return "not an integer of 64 bits";
    const integer = BigInt(source);
    const isWithin = integer >= -(2n ** 63n) && integer < 2n ** 64n;
    return isWithin ? BigInt.asUintN(64, integer) : "not an integer of 64 bits";
  });
}

const spaced = fc.tuple(fc.json({ maxDepth: 4 }), fc.constantFrom("", " ", "\n\t\r ")).map(([text, space]) => {
  // Space may stand beside any structure outside of texts.
  return text.replaceAll(/("(?:[^"\\]|\\.)*")|([[\]{}:,])/g, (_, quoted, sign) => quoted ?? `${space}${sign}${space}`);
});

describe("JSON in chunks", () => {
  it("is what JSON.parse makes of it, in chunks of any size", () => {
    fc.assert(
      fc.property(spaced, fc.integer({ min: 1, max: 20 }), (text, size) => {
        expect(read(text, size)).toEqual(expected(text));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    "0",
    "-0",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "-9223372036854775809",
    "99999999999999999999999999999999999999999",
    "1.5",
    "1e3",
    "-1",
    "4294967296",
  ])("keeps the 64 bits of %s", (text) => {
    for (const size of [1, 3, 100]) expect(read(`[${text}]`, size)).toEqual(expected(`[${text}]`));
    expect(read(text)).toEqual(expected(text));
  });

  it("refuses what JSON.parse refuses, of mutilated texts", () => {
    const mutilated = fc
      .tuple(
        spaced,
        fc.nat(),
        fc.constantFrom("", ",", ":", "{", "}", "[", "]", '"', "\\", "x", "nul", " ", "-", "0", "1.", "e+", "e"),
      )
      .map(
        ([text, at, part]) => text.slice(0, at % (text.length + 1)) + part + text.slice((at % (text.length + 1)) + 1),
      );
    fc.assert(
      fc.property(mutilated, fc.integer({ min: 1, max: 9 }), (text, size) => {
        let value: unknown;
        try {
          value = expected(text);
        } catch {
          expect(() => read(text, size)).toThrow(JsonStreamError);
          return;
        }
        expect(read(text, size)).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(["01", "-00", "1.", ".5", "1e", "1e+", "1-2", "--1", "+1", "1.2.3", "1e2e3", "1e2.3", "1.-2", "-"])(
    "refuses the number %s",
    (number) => {
      for (const size of [1, 2, 100]) {
        expect(() => read(`[${number}]`, size)).toThrow(JsonStreamError);
        expect(() => read(`[${number},1]`, size)).toThrow(JsonStreamError);
      }
    },
  );

  it.each(["0.0", "-0.5", "10.25e-3", "1E+7", "0e0", "100"])("takes the number %s", (number) => {
    for (const size of [1, 2, 100]) expect(read(`[${number},1]`, size)).toEqual(expected(`[${number},1]`));
  });

  it.each([
    { name: "nested too deep", text: "[".repeat(65) },
    { name: "with a text over its bound, in chunks", text: `"${"a".repeat(1_200_000)}"` },
    { name: "with bytes that are no UTF-8", text: Buffer.from('{"\xff":1}', "latin1") },
    { name: "with a control character in a text", text: '"\n"' },
    { name: "with a number without digits", text: "[-]" },
    { name: "with a long word", text: `[${"n".repeat(100)}]` },
    { name: "two values", text: "1 2" },
    { name: "empty", text: "" },
  ])("is refused when it is $name", ({ text }) => {
    expect(() => read(text, 65_536)).toThrow(JsonStreamError);
  });
});
