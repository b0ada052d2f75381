import { Buffer } from "node:buffer";
import fc from "fast-check";
import { JsonNumber, JsonObject, type JsonValue } from "../../../src/json/index.ts";

const characters = fc.constantFrom(
  ...["a", "B", "7", " ", "/", "é", "ß", "世", "界", "😀", "\u007f", "\u2028", "\uffff"],
  ...['\\"', "\\\\", "\\n", "\\/", "\\b", "\\f", "\\r", "\\t", "\\u0041", "\\u00e9", "\\u4e16", "\\ud83d\\ude00"],
);
const run = fc.tuple(fc.constantFrom("x", "word ", "é", "\\n", "世"), fc.integer({ min: 0, max: 90 }));

/** A string literal; its lengths lie around those at which the scan changes its way. */
const literal = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: characters }, { weight: 1, arbitrary: run.map(([text, n]) => text.repeat(n)) }),
    {
      maxLength: 24,
    },
  )
  .map((parts) => `"${parts.join("")}"`);

const number = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?$/),
  fc.nat().map(String),
);
const space = fc.constantFrom("", "", "", " ", "\n  ", "\t", "\r\n", " ".repeat(40));
const key = fc.oneof(literal, fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"role"', '"content"'));

/** Texts of JSON values: lossy ones, repeated keys and odd spaces included. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    literal,
    number,
    fc.constantFrom("true", "false", "null", "[]", "{}", '""'),
    tie("array"),
    tie("object"),
  ),
  array: fc
    .array(fc.tuple(space, tie("value"), space), { maxLength: 12 })
    .map((items) => `[${items.map((item) => item.join("")).join(",")}]`),
  object: fc
    .array(fc.tuple(space, key, space, space, tie("value"), space), { maxLength: 14 })
    .map((members) => `{${members.map(([a, k, b, c, v, d]) => `${a}${k}${b}:${c}${v}${d}`).join(",")}}`),
})).value;

const splice = fc.record({
  at: fc.nat(),
  remove: fc.nat({ max: 3 }),
  put: fc.oneof(
    fc.constantFrom(...'{}[]",:\\-+.eE019u\0\n\x1f '.split("")),
    fc.constantFrom("\\ud800", "\\udc00", "tru", "nul", "\\x", "\\u12", "1.", "-", "", '""', "{}", "//"),
  ),
});

/** The bytes of a text, after up to three edits of characters and possibly one of a byte. */
export const mutilatedText: fc.Arbitrary<Buffer> = fc
  .tuple(jsonText, fc.array(splice, { maxLength: 3 }), fc.option(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { freq: 4 }))
  .map(([text, edits, byte]) => {
    let cut = text;
    for (const { at, remove, put } of edits) {
      const start = at % (cut.length + 1);
      cut = cut.slice(0, start) + put + cut.slice(start + remove);
    }
    const bytes = Buffer.from(cut);
    if (byte !== null && bytes.length > 0) bytes[byte[0] % bytes.length] = byte[1];
    return bytes;
  });

/** Everything that can be seen of a value, as plain arrays that a test can compare. */
export function seen(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return ["number", value.lexeme, value.isInteger];
  if (value instanceof JsonObject) {
    const members = [...value.entries()].map(([key, member]) => [
      key,
      value.valueSpan(key),
      seen(member),
      value.get(key) === member,
    ]);
    return ["object", value.start, value.end, value.size, [...value.keys()], [...value.duplicateKeys], members];
  }
  return Array.isArray(value) ? ["array", ...value.map((item) => seen(item as JsonValue))] : value;
}
