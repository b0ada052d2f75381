import { describe, expect, it } from "vitest";
import { JsonNumber, JsonObject, stringifyJson } from "../../../src/json/index.ts";

describe("JsonObject.from", () => {
  it("keeps the order and has no place in a source", () => {
    const object = JsonObject.from([
      ["2", "b"],
      ["1", new JsonNumber("1.0")],
    ]);
    expect(stringifyJson(object)).toBe('{"2":"b","1":1.0}');
    expect([object.size, object.start, object.end, object.valueSpan("2")]).toEqual([2, -1, -1, undefined]);
  });
});

describe("stringifyJson", () => {
  it("escapes what JSON must escape and nothing else", () => {
    expect(stringifyJson(['"\\\n\u0001é😀</', null, true, []])).toBe('["\\"\\\\\\n\\u0001é😀</",null,true,[]]');
  });
});

describe("JsonNumber", () => {
  it.each([
    ["12", true],
    ["-0", true],
    ["1.5", false],
    ["1e3", false],
  ])("%s is an integer: %s", (lexeme, isInteger) => {
    expect(new JsonNumber(lexeme).isInteger).toBe(isInteger);
  });
});
