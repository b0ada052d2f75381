import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { JsonNumber, type JsonObject, JsonSyntaxError, type JsonValue, parseJson } from "../../../src/json/index.ts";

function parse(text: string): JsonValue {
  return parseJson(Buffer.from(text));
}

function failure(bytes: Buffer, limits = {}): JsonSyntaxError {
  try {
    parseJson(bytes, limits);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error("parsed");
}

describe("parseJson", () => {
  it.each([
    "0",
    "-0",
    "1.0",
    "1e5",
    "1E+5",
    "-12.5e-3",
    "18446744073709551615",
    "123456789012345678901234567890",
    "1e400",
  ])("keeps the digits of %s", (lexeme) => {
    const number = parse(` ${lexeme}\n`);
    expect(number).toBeInstanceOf(JsonNumber);
    expect((number as JsonNumber).lexeme).toBe(lexeme);
    expect((number as JsonNumber).isInteger).toBe(/^-?[0-9]+$/.test(lexeme));
  });

  it("keeps a u64 exact", () => {
    expect((parse("18446744073709551615") as JsonNumber).toBigInt()).toBe(18_446_744_073_709_551_615n);
  });

  it("keeps the order of integer-like keys", () => {
    const object = parse('{"b":1,"10":2,"a":3,"9":4}') as JsonObject;
    expect([...object.keys()]).toEqual(["b", "10", "a", "9"]);
  });

  it("lets the last of a repeated key stand, at the first one's place, and says which repeat", () => {
    const object = parse('{"a":1,"b":2,"a":3,"b":4,"a":5}') as JsonObject;
    expect([...object.entries()].map(([key, value]) => [key, (value as JsonNumber).lexeme])).toEqual([
      ["a", "5"],
      ["b", "4"],
    ]);
    expect(object.duplicateKeys).toEqual(["a", "b"]);
    expect(object.valueSpan("a")).toEqual({ start: 29, end: 30 });
  });

  it("finds members of large objects", () => {
    const keys = Array.from({ length: 100 }, (_, at) => `k${at}`);
    const object = parse(`{${keys.map((key) => `"${key}":"${key}"`).join(",")},"k7":"again"}`) as JsonObject;
    expect(keys.map((key) => object.get(key))).toEqual(keys.map((key) => (key === "k7" ? "again" : key)));
    expect(object.duplicateKeys).toEqual(["k7"]);
    expect(object.has("k100")).toBe(false);
  });

  it("takes __proto__ as a key like any other", () => {
    expect((parse('{"__proto__":"x"}') as JsonObject).get("__proto__")).toBe("x");
  });

  it.each([
    ['"\\u00e9\\n\\/\\\\\\""', 'é\n/\\"'],
    ['"\\ud83d\\ude00!"', "😀!"],
    ['"a😀\\tb"', "a😀\tb"],
    ['"\\u0000"', "\0"],
    ['""', ""],
  ])("decodes %s", (text, value) => {
    expect(parse(text)).toBe(value);
  });

  it("does not mistake short strings of equal hash for each other", () => {
    const words = ["aé", "aÃ©", "ab", "ba", "a b", "role", "rOle", "role2"];
    expect(parse(JSON.stringify([...words, ...words]))).toEqual([...words, ...words]);
  });

  it("spans objects and their values", () => {
    const text = ' {"é": {"x" : [1, 2] }, "z":"é"} ';
    const body = Buffer.from(text);
    const object = parseJson(body) as JsonObject;
    expect(body.subarray(object.start, object.end).toString()).toBe(text.trim());
    const inner = object.get("é") as JsonObject;
    const span = object.valueSpan("é");
    expect(span).toEqual({ start: inner.start, end: inner.end });
    expect(body.subarray(span?.start, span?.end).toString()).toBe('{"x" : [1, 2] }');
    expect(object.valueSpan("nothing")).toBeUndefined();
  });
});

describe("parseJson refuses", () => {
  it.each([
    ["nothing", "", 0],
    ["white space only", " \n", 2],
    ["text after the value", '{"a":1} x', 8],
    ["a second value", "1 2", 2],
    ["a byte order mark", "\uFEFF{}", 0],
    ["a trailing comma in an object", '{"a":1,}', 7],
    ["a trailing comma in an array", "[1,]", 3],
    ["a missing colon", '{"a" 1}', 5],
    ["a bare key", "{a:1}", 1],
    ["single quotes", "{'a':1}", 1],
    ["an unclosed object", '{"a":1', 6],
    ["an unclosed string", '"abc', 4],
    ["an unclosed string after a backslash", '"abc\\', 5],
    ["a leading zero", "01", 1],
    ["a leading plus", "+1", 0],
    ["a number that ends in a dot", "1.", 2],
    ["a number without exponent digits", "1e", 2],
    ["NaN", "NaN", 0],
    ["a misspelt word", "nul", 0],
    ["a raw line feed in a string", '"a\nb"', 2],
    ["an unknown escape", '"\\x41"', 1],
    ["short hex", '"\\u12"', 1],
    ["a lone high surrogate", '"\\ud800"', 1],
    ["a lone low surrogate", '"x\\udc00"', 2],
    ["a reversed pair", '"\\ude00\\ud83d"', 1],
    ["a high surrogate before another escape", '"\\ud83d\\n"', 1],
    ["a comment", "{} // x", 3],
  ])("%s", (_, text, offset) => {
    const error = failure(Buffer.from(text));
    expect(error.offset).toBe(offset);
    expect(error.message).toContain(`at byte ${offset}`);
  });

  it.each([
    ["a stray continuation byte", [0x22, 0x80, 0x22], 1],
    ["an overlong form", [0x22, 0x61, 0xc0, 0xaf, 0x22], 2],
    ["an encoded surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22], 1],
    ["a cut sequence", [0x22, 0xc3, 0xa9, 0xe2, 0x82], 3],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80], 0],
  ])("invalid UTF-8: %s", (_, bytes, offset) => {
    expect(failure(Buffer.from(bytes))).toMatchObject({ offset, message: `invalid UTF-8 at byte ${offset}` });
  });

  it("nesting beyond the limit, and takes nesting up to it", () => {
    const nested = (depth: number): Buffer => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    expect(parseJson(nested(5), { maxDepth: 5 })).toEqual([[[[[]]]]]);
    expect(failure(nested(6), { maxDepth: 5 }).offset).toBe(5);
    expect(failure(Buffer.from('{"a":'.repeat(100_000))).message).toContain("512 levels");
    expect(() => parseJson(nested(1), { maxDepth: 5_000 })).toThrow(RangeError);
  });

  it("numbers beyond a double only when told", () => {
    expect(failure(Buffer.from("[1e400]"), { finiteNumbers: true }).offset).toBe(1);
  });

  it("says nothing of the text", () => {
    expect(failure(Buffer.from('{"secret": secret}')).message).toBe("a JSON value expected at byte 11");
  });
});

describe("parseJson with raw control characters", () => {
  it.each([
    ['"a\nb"', "a\nb"],
    ['"a\\\nb"', "a\\\nb"],
    ['"\\n\u0001"', "\n\u0001"],
  ])("takes %j", (text, value) => {
    expect(parseJson(Buffer.from(text), { rawControlCharacters: true })).toBe(value);
  });
});
