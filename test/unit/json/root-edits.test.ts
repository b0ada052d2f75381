import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editRoot, itemCount, rootMemberList } from "../../../src/json/index.ts";

function edited(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  const body = Buffer.from(text);
  const map = new Map(Object.entries(changes).map(([k, v]) => [k, v === undefined ? undefined : Buffer.from(v)]));
  return editRoot(body, finished(rootMemberList(body, new Set(map.keys()))), map).toString();
}

function finished<T>(steps: Generator<void, T>): T {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

describe("editRoot", () => {
  it.each([
    ["a new member comes last", '{"a": 1 }', { b: "2" }, '{"a": 1 ,"b":2}'],
    ["an empty object gets its first", " { }\n", { b: "2", c: "3" }, ' { "b":2,"c":3}\n'],
    ["a value gives way, its spaces stay", '{"a" :  1 , "b":2}', { a: "[5]" }, '{"a" :  [5] , "b":2}'],
    ["of a repeated key the last is set", '{"a":1,"a":2}', { a: "3" }, '{"a":1,"a":3}'],
    ["of a repeated key every one goes", '{"a":1,"b":0,"a":2}', { a: undefined }, '{"b":0}'],
    ["the first goes", '{"a":1, "b":2}', { a: undefined }, '{ "b":2}'],
    ["the last goes", '{"b":2, "a":1}', { a: undefined }, '{"b":2}'],
    ["the only one goes", '{"a":1}', { a: undefined, c: "4" }, '{"c":4}'],
    ["the last two go", '{"x":0,"a":1,"b":2}', { a: undefined, b: undefined }, '{"x":0}'],
    ["all go", '{"a":1 , "b":2 }', { a: undefined, b: undefined }, "{ }"],
    ["a key with an escape is the same key", '{"\\u0061":1,"b":2}', { a: "7" }, '{"\\u0061":7,"b":2}'],
    ["what is deeper stays", '{"b":{"a":1},"c":[{"a":2}]}', { a: undefined }, '{"b":{"a":1},"c":[{"a":2}]}'],
    ["a removal without a member changes nothing", '{"b":1}', { a: undefined }, '{"b":1}'],
  ])("%s", (_, text, changes, expected) => {
    expect(edited(text, changes as Record<string, string | undefined>)).toBe(expected);
  });

  it.each(["[1]", "", "7", "{", "}", " "])("refuses what is no object: %j", (text) => {
    expect(() => edited(text, { a: "1" })).toThrow("expected a JSON object");
  });

  it("means the same as the change of the parsed object, whatever its members", () => {
    const names = fc.constantFrom("a", "b", "c", "d", "e");
    const members = fc.array(fc.tuple(names, fc.jsonValue()), { maxLength: 6 });
    const changes = fc.dictionary(names, fc.option(fc.jsonValue(), { nil: undefined, freq: 1 }), { maxKeys: 4 });
    const space = fc.constantFrom("", " ", "\n\t");
    fc.assert(
      fc.property(members, changes, space, (list, wanted, gap) => {
        const text = list
          .map(([k, v]) => `${gap}${JSON.stringify(k)}${gap}:${gap}${JSON.stringify(v)}${gap}`)
          .join(",");
        const expected: Record<string, unknown> = JSON.parse(`{${text}}`);
        for (const [k, v] of Object.entries(wanted)) {
          if (v === undefined) delete expected[k];
          else expected[k] = JSON.parse(JSON.stringify(v));
        }
        const texts = Object.entries(wanted).map(([k, v]) => [k, v === undefined ? undefined : JSON.stringify(v)]);
        expect(JSON.parse(edited(`${gap}{${text}${gap}}${gap}`, Object.fromEntries(texts)))).toEqual(expected);
      }),
    );
  });
});

describe("itemCount", () => {
  it("counts the items of any array as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1), (list, indent) => {
        const bytes = Buffer.from(JSON.stringify(list, undefined, indent));
        expect(finished(itemCount(bytes, { start: 0, end: bytes.length }))).toBe(list.length);
      }),
    );
  });

  it("says -1 of what is no array", () => {
    expect(finished(itemCount(Buffer.from('"a,b"'), { start: 0, end: 5 }))).toBe(-1);
  });
});
