import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit, JsonObject, parseJson, setMember, stringifyJson } from "../../../src/json/index.ts";

function set(text: string, key: string, json: string): string {
  const body = Buffer.from(text);
  return applyEdit(body, setMember(body, parseJson(body) as JsonObject, key, Buffer.from(json))).toString();
}

describe("setMember", () => {
  it.each([
    ["an empty object", "{}", '{"k":7}'],
    ["an empty object with space", " { \n} ", ' { \n"k":7} '],
    ["a member that is not there", '{"a":1.0}', '{"a":1.0,"k":7}'],
    ["space before the brace", '{ "a" : 1 \n}', '{ "a" : 1 \n,"k":7}'],
    ["a member that is there", '{"k" : {"x":[1]} , "b":2}', '{"k" : 7 , "b":2}'],
    ["a member that is null", '{"k":null}', '{"k":7}'],
    ["a repeated member", '{"k":1,"a":2,"k":3}', '{"k":1,"a":2,"k":7}'],
  ])("edits %s", (_, before, after) => {
    expect(set(before, "k", "7")).toBe(after);
  });

  it("escapes the key it writes", () => {
    expect(set("{}", 'a"b', "1")).toBe('{"a\\"b":1}');
  });

  it("refuses an object that was built, not parsed", () => {
    expect(() => setMember(Buffer.from("{}"), JsonObject.from([]), "k", Buffer.from("1"))).toThrow(RangeError);
  });

  it("touches no other byte, and the result holds the member", () => {
    const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue(), { maxKeys: 12 });
    fc.assert(
      fc.property(
        object,
        fc.string({ unit: "grapheme" }),
        fc.jsonValue(),
        fc.constantFrom(0, 1),
        (members, key, value, indent) => {
          const body = Buffer.from(JSON.stringify(members, null, indent));
          const root = parseJson(body) as JsonObject;
          const edit = setMember(body, root, key, Buffer.from(JSON.stringify(value)));
          const after = applyEdit(body, edit);
          const tail = body.length - edit.offset - edit.deleteBytes;
          expect(after.subarray(0, edit.offset).equals(body.subarray(0, edit.offset))).toBe(true);
          expect(after.subarray(after.length - tail).equals(body.subarray(body.length - tail))).toBe(true);
          const parsed = parseJson(after) as JsonObject;
          expect(stringifyJson(parsed.get(key) ?? null)).toBe(JSON.stringify(value));
          expect([...parsed.keys()]).toEqual(root.has(key) ? [...root.keys()] : [...root.keys(), key]);
        },
      ),
    );
  });
});
