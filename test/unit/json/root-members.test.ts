import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonReader, JsonSyntaxError, parseJson, rootMembers } from "../../../src/json/index.ts";

function membersOf(text: string, names: readonly string[]): Record<string, unknown> {
  const bytes = Buffer.from(text);
  const steps = rootMembers(bytes, new Set(names));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return Object.fromEntries(
    [...step.value].map(([name, { start, end }]) => [name, JSON.parse(bytes.toString("utf8", start, end))]),
  );
}

describe("rootMembers", () => {
  it.each<[string, string, Record<string, unknown>]>([
    [
      "values of every kind",
      '{"a": [1,{"b":2}], "b" : "x" , "c":null,"d":-1.5e3}',
      { a: [1, { b: 2 }], b: "x", c: null, d: -1500 },
    ],
    ["not what stands deeper", '{"x":{"a":1},"y":[{"b":2}],"z":"\\"a\\":3"}', {}],
    ["keys written with escapes", '{"\\u0061":1}', { a: 1 }],
    ["the last of a repeated key", '{"a":1,"a":2}', { a: 2 }],
    ["strings of braces, quotes and backslashes", '{"q":"}],{\\\\\\"","a":"\\\\","b":"]"}', { a: "\\", b: "]" }],
    ["an empty object", "{}", {}],
    ["another value", '["a",1]', {}],
  ])("finds %s", (_, text, members) => {
    expect(membersOf(text, ["a", "b", "c", "d"])).toEqual(members);
  });

  it("finds what JSON.parse finds, whatever else the text holds", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const texts = fc.tuple(fc.dictionary(fc.constantFrom("a", "b", 'long key \\ "', "é"), value), fc.boolean());
    fc.assert(
      fc.property(texts, ([object, isSpaced]) => {
        const text = JSON.stringify(object, null, isSpaced ? 2 : 0);
        const wanted = Object.fromEntries(Object.entries(JSON.parse(text)).filter(([key]) => key !== "b"));
        expect(membersOf(text, Object.keys(wanted))).toEqual(wanted);
      }),
    );
  });

  it.each([2, 3, 4, 31, 32, 33, 34, 200])("ends a string of %i backslashes at the right quote", (count) => {
    const text = JSON.stringify({ a: `${"x".repeat(count)}${"\\".repeat(count)}"`, b: 1 });
    expect(membersOf(text, ["a", "b"])).toEqual(JSON.parse(text));
  });

  it("rests between steps, however the text is made, and ends on texts that are no JSON", () => {
    for (const text of [
      `{"a":[${"1,".repeat(300_000)}1]}`,
      `{"a":"${"x".repeat(600_000)}","b":[${"[],".repeat(50_000)}0]}`,
    ]) {
      let steps = 0;
      for (const _ of rootMembers(Buffer.from(text), new Set(["a"]))) steps++;
      expect(steps).toBeGreaterThan(1);
    }
    for (const text of ["", "{", '{"a', '{"a":', "}}}}", '{"a":1', '"\\'])
      expect(() => [...rootMembers(Buffer.from(text), new Set(["a"]))]).not.toThrow();
  });
});

describe("JsonReader.weigh", () => {
  const long = "a text that is long enough ".repeat(20);
  const body = (texts: readonly string[]) => Buffer.from(JSON.stringify({ texts }));

  it("counts values and keys, and the bytes of strings that it has not met", () => {
    const reader = new JsonReader();
    expect(reader.weigh(body([long, "b"]), 100)).toEqual({ records: 5, unknownBytes: 5 + long.length + 1 });
    expect(reader.weigh(body([long, "b"]), 100)).toEqual({ records: 5, unknownBytes: 0 });
    expect(reader.weigh(body([long, `${long}!`]), 100)?.unknownBytes).toBe(long.length + 1);
  });

  it.each([
    { name: "a list", json: "[0,0,0,0]", records: 4 },
    { name: "members", json: '{"a":[1,2],"b":{"c":null}}', records: 8 },
    { name: "a text with separators", json: '{"file":"a,b:[{\\"c,d\\\\","n":1}', records: 4 },
    { name: "no JSON", json: "a, b", records: 1 },
  ])("counts the values of JSON in a member that is named: $name", ({ json, records }) => {
    const call = { name: json, arguments: json };
    const weighed = (text: string) =>
      new JsonReader().weigh(Buffer.from(text), 100, {}, Buffer.from("arguments"))?.records;
    expect(weighed(JSON.stringify(call))).toBe(5 + records);
    const spelt = json.replaceAll("\\", "\\u005c").replaceAll('"', "\\u0022");
    expect(weighed(`{"name":${JSON.stringify(json)},"\\u0061rguments":"${spelt}"}`)).toBe(5 + records);
  });

  it("counts no further than it is asked to", () => {
    const call = JSON.stringify({ arguments: `[${"0,".repeat(10_000)}0]` });
    expect(new JsonReader().weigh(Buffer.from(call), 100, {}, Buffer.from("arguments"))?.records).toBeLessThan(110);
  });

  it("knows strings that were parsed, and those of the generation before", () => {
    const reader = new JsonReader({ internedBytes: 40_000 });
    reader.parse(body([long]));
    expect(reader.weigh(body([long]), 100)?.unknownBytes).toBe(0);
    // What comes fills a generation; the one before is still known, and is taken over when it is met.
    let number = 0;
    for (let turn = 0; turn < 50; turn++) {
      const texts = [long, `${number++} ${long}`, `${number++} ${long}`];
      expect(reader.weigh(body(texts), 100)?.unknownBytes).toBeLessThan(2 * long.length + 20);
    }
  });

  it("keeps nothing when it may keep nothing", () => {
    const reader = new JsonReader({ internedBytes: 0 });
    reader.weigh(body([long]), 100);
    expect(reader.weigh(body([long]), 100)?.unknownBytes).toBe(5 + long.length);
  });

  it("reads a text that was weighed from the same scan, and another one from its own", () => {
    const reader = new JsonReader();
    const weighed = body([long, "b"]);
    reader.weigh(weighed, 100);
    expect(reader.parse(weighed)).toEqual(parseJson(weighed));
    reader.weigh(weighed, 100);
    const other = body(["c", `${long}?`]);
    expect(reader.parse(other)).toEqual(parseJson(other));
    expect(reader.parse(weighed)).toEqual(parseJson(weighed));
  });

  it("refuses after weighing what it refuses without", () => {
    const reader = new JsonReader();
    const raw = Buffer.from(`["${long}", "a\nb"]`);
    const nested = Buffer.from(`${"[".repeat(70)}"${long}"${"]".repeat(70)}`);
    for (const [text, limits] of [
      [raw, {}],
      [nested, { maxDepth: 60 }],
      [nested, { maxDepth: 69 }],
    ] as const) {
      expect(reader.weigh(text, 100, { maxDepth: 1024, rawControlCharacters: true })?.unknownBytes).toBeDefined();
      expect(() => reader.parse(text, limits)).toThrow(JsonSyntaxError);
    }
  });

  it("counts as new what it had to scan twice", () => {
    const raw = Buffer.from(`["${long}", "a\nb"]`);
    const weight = new JsonReader().weigh(raw, 100, { maxDepth: 1024, rawControlCharacters: true });
    expect(weight?.unknownBytes).toBe(long.length + 3);
  });

  it("stops counting where it is told, and tells nothing of what is no JSON or too long", () => {
    const reader = new JsonReader({ maxScannedBytes: 4096 });
    expect(reader.weigh(Buffer.from(`[${"1,".repeat(500)}1]`), 10)?.records).toBe(11);
    expect(reader.weigh(Buffer.from("[1,"), 10)).toBeUndefined();
    expect(reader.weigh(Buffer.alloc(5000, 0x20), 10)).toBeUndefined();
  });
});
