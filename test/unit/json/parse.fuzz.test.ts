import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonNumber, JsonObject, type JsonValue, parseJson, stringifyJson } from "../../../src/json/index.ts";

/** The value as JSON.parse would give it. */
function plain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return value.toNumber();
  if (value instanceof JsonObject) {
    return Object.fromEntries([...value.entries()].map(([key, member]) => [key, plain(member)]));
  }
  return Array.isArray(value) ? value.map((item) => plain(item as JsonValue)) : value;
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

const json = fc.jsonValue({ maxDepth: 6, stringUnit: "grapheme" });

describe("parseJson beside JSON.parse", () => {
  it("gives equal values for what JSON.stringify writes", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(plain(parseJson(Buffer.from(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("takes and refuses the same mutilated texts", () => {
    const edit = fc.record({
      at: fc.nat(),
      remove: fc.nat({ max: 2 }),
      put: fc.constantFrom("", ",", '"', "\\", "}", "[", "1", "u", "\n", "0"),
    });
    fc.assert(
      fc.property(json, edit, (value, { at, remove, put }) => {
        const text = JSON.stringify(value);
        const start = at % (text.length + 1);
        const cut = text.slice(0, start) + put + text.slice(start + remove);
        // JSON.parse takes lone surrogates, which our parser refuses by design.
        fc.pre(cut.isWellFormed() && !/\\ud[89a-f]/i.test(cut));
        expect(accepts(() => parseJson(Buffer.from(cut)))).toBe(accepts(() => JSON.parse(cut)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("never fails but by a JsonSyntaxError on random bytes", () => {
    const bytes = fc.array(fc.constantFrom(...Buffer.from('{}[]":,\\u0d8e-+. \ntfn\u0001é')), { maxLength: 40 });
    fc.assert(
      fc.property(bytes, (list) => {
        try {
          parseJson(Buffer.from(list));
        } catch (error) {
          expect(error).toMatchObject({ name: "JsonSyntaxError" });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("spans every object and member so that its bytes parse to the same value", () => {
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
        const body = Buffer.from(JSON.stringify(value, null, indent));
        checkSpans(body, parseJson(body));
      }),
    );
  });

  it("is undone by stringifyJson, digit by digit", () => {
    const digits = fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), digits)), (members) => {
        const text = `{${members.map(([key, number]) => `${JSON.stringify(key)}:[${number}]`).join(",")}}`;
        fc.pre(new Set(members.map(([key]) => key)).size === members.length);
        expect(stringifyJson(parseJson(Buffer.from(text)))).toBe(text);
      }),
    );
  });
});

function checkSpans(body: Buffer, value: JsonValue): void {
  if (Array.isArray(value)) for (const item of value) checkSpans(body, item as JsonValue);
  if (!(value instanceof JsonObject)) return;
  expect(plain(parseJson(body.subarray(value.start, value.end)))).toEqual(plain(value));
  for (const [key, member] of value.entries()) {
    const span = value.valueSpan(key);
    expect(plain(parseJson(body.subarray(span?.start, span?.end)))).toEqual(plain(member));
    checkSpans(body, member);
  }
}
