import { describe, expect, it } from "vitest";
import {
  flagShape,
  i64Shape,
  listShape,
  mapped,
  mapShape,
  may,
  must,
  numberShape,
  objectShape,
  orNull,
  otherwise,
  type Shape,
  textShape,
  u32Shape,
  u64Shape,
  wordShape,
} from "../../../src/http/index.ts";
import { FieldError, parseJson } from "../../../src/json/index.ts";

function read<T>(shape: Shape<T>, text: string): T {
  return shape.read(parseJson(Buffer.from(text)), "refuse");
}

/** The field and the message of a refusal. */
function refusal(shape: Shape<unknown>, text: string): string {
  try {
    read(shape, text);
  } catch (error) {
    if (error instanceof FieldError) {
      const { field, message } = error.toRoutingError("unprocessable");
      return `${field ?? ""}: ${message}`;
    }
    throw error;
  }
  return "taken";
}

describe("shapes", () => {
  it.each([
    { name: "a text", shape: textShape(3), text: '"a😀"', value: "a😀" },
    { name: "a flag", shape: flagShape, text: "false", value: false },
    { name: "a u32", shape: u32Shape, text: "4294967295", value: 4_294_967_295 },
    { name: "a u64", shape: u64Shape, text: "18446744073709551615", value: 18_446_744_073_709_551_615n },
    { name: "an i64", shape: i64Shape, text: "-9223372036854775808", value: -9_223_372_036_854_775_808n },
    { name: "a number", shape: numberShape(0, 1), text: "1e-3", value: 0.001 },
    { name: "a word", shape: wordShape("a", "b"), text: '"b"', value: "b" },
    { name: "a list", shape: listShape(u32Shape, 2), text: "[1,2]", value: [1, 2] },
    { name: "null", shape: orNull(u32Shape), text: "null", value: undefined },
    { name: "what becomes of a value", shape: mapped(u32Shape, (n) => n + 1), text: "1", value: 2 },
  ] as { name: string; shape: Shape<unknown>; text: string; value: unknown }[])(
    "read $name",
    ({ shape, text, value }) => {
      expect(read(shape, text)).toEqual(value);
    },
  );

  it.each([
    { name: "a text that is too long", shape: textShape(3), text: '"abcd"', says: "at most 3 characters" },
    { name: "a text by its UTF-16 units", shape: textShape(3), text: '"😀😀"', says: "at most 3 characters" },
    { name: "a text that is too short", shape: textShape(3, 1), text: '""', says: "at least 1 characters" },
    { name: "a number out of range", shape: numberShape(0, 1), text: "1.5", says: "between 0 and 1" },
    { name: "a number beyond doubles", shape: numberShape(0), text: "1e999", says: "finite" },
    { name: "a negative u32", shape: u32Shape, text: "-1", says: "between 0 and 4294967295" },
    { name: "a u32 with a fraction", shape: u32Shape, text: "1.0", says: "between 0 and 4294967295" },
    { name: "a u64 beyond its bits", shape: u64Shape, text: "18446744073709551616", says: "between 0 and" },
    { name: "a number of a million digits", shape: u64Shape, text: "9".repeat(1_000_000), says: "between 0 and" },
    { name: "a u64 as text", shape: u64Shape, text: '"1"', says: "between 0 and" },
    { name: "an unknown word", shape: wordShape("a", "b"), text: '"c"', says: "one of a, b" },
    {
      name: "a long list by its length alone",
      shape: listShape(u32Shape, 2),
      text: '["x","x","x"]',
      says: "at most 2 items",
    },
    { name: "a map of too many", shape: mapShape(u32Shape, 1), text: '{"a":1,"b":2}', says: "at most 1 members" },
    {
      name: "a map with a long key",
      shape: mapShape(u32Shape, 1, 3),
      text: '{"abcd":1}',
      says: "keys of at most 3 characters",
    },
  ] as { name: string; shape: Shape<unknown>; text: string; says: string }[])(
    "refuse $name",
    ({ shape, text, says }) => {
      expect(refusal(shape, text)).toContain(says);
    },
  );

  const thing = objectShape({
    id: must(u64Shape, "Its id."),
    note: may(textShape(5), "A note."),
    count: otherwise(u32Shape, 7, "A count."),
    inner: may(objectShape({ list: may(listShape(u32Shape, 3), "Numbers.") }), "More."),
  });

  it("read objects: what must be there, what may be absent or null, and defaults", () => {
    expect(read(thing, '{"id":1,"note":null,"x":[1]}')).toEqual({
      id: 1n,
      note: undefined,
      count: 7,
      inner: undefined,
    });
    expect(read(thing, '{"count":0,"id":2,"note":"n","inner":{}}')).toMatchObject({ id: 2n, note: "n", count: 0 });
  });

  it.each([
    { text: "{}", says: "id" },
    { text: '{"id":null}', says: "id" },
    { text: '{"id":1,"count":null}', says: "count" },
    { text: '{"id":1,"inner":{"list":[1,-2]}}', says: "inner.list[1]" },
    { text: '{"id":1,"id":2}', says: "id" },
    { text: "[]", says: "" },
    { text: '"x"', says: "" },
  ])("name the field at fault of $text", ({ text, says }) => {
    const told = refusal(thing, text);
    expect(told).not.toBe("taken");
    expect(told.split(":")[0]).toBe(says);
  });

  it("refuse unknown members where they are told to", () => {
    const strict = objectShape({ a: may(u32Shape, "A.") }, "refuse");
    expect(refusal(strict, '{"b":1}')).toContain("b");
    expect(strict.schema).toMatchObject({ additionalProperties: false });
  });

  it("say in the document what they read", () => {
    expect(thing.schema).toEqual({
      type: "object",
      required: ["id"],
      properties: {
        id: { type: "integer", format: "uint64", minimum: 0, description: "Its id." },
        note: { type: "string", maxLength: 5, description: "A note." },
        count: { type: "integer", minimum: 0, maximum: 4_294_967_295, description: "A count.", default: 7 },
        inner: {
          type: "object",
          description: "More.",
          properties: {
            list: {
              type: "array",
              maxItems: 3,
              items: { type: "integer", minimum: 0, maximum: 4_294_967_295 },
              description: "Numbers.",
            },
          },
        },
      },
    });
    expect(numberShape(0).schema).toEqual({ type: "number", minimum: 0 });
    expect(orNull(flagShape).schema).toEqual({ anyOf: [{ type: "boolean" }, { type: "null" }] });
  });
});
