import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import {
  type JsonNumber,
  type JsonObject,
  JsonReader,
  JsonSyntaxError,
  type JsonValue,
} from "../../../src/json/index.ts";

const limits = { maxDepth: 512, finiteNumbers: false, rawControlCharacters: false };

function parse(reader: JsonReader, value: unknown): JsonValue {
  return reader.parse(Buffer.from(JSON.stringify(value)), limits);
}

/** A text of its own for every number, of `length` characters. */
function text(seed: number, length: number): string {
  return `${seed} `.repeat(Math.ceil(length / 2)).slice(0, length);
}

describe("JsonReader", () => {
  it("keeps strings, and takes nothing for those that come again", () => {
    const reader = new JsonReader();
    const conversation = Array.from({ length: 20 }, (_, turn) => ({ role: "user", content: text(turn, 3_000) }));
    parse(reader, conversation.slice(0, 19));
    const before = reader.heldBytes;
    expect(parse(reader, conversation.slice(0, 19))).toHaveLength(19);
    expect(reader.heldBytes).toBe(before);
    parse(reader, conversation);
    expect(reader.heldBytes - before).toBe(2 * 3_000 + 96);
  });

  it("holds no more than its bound, and forgets what was not seen for long", () => {
    const internedBytes = 1_048_576;
    const reader = new JsonReader({ internedBytes });
    for (let seed = 0; seed < 2_000; seed++) {
      const value = [text(1, 5_000), text(seed, 2_000), text(-seed, 10)];
      expect(parse(reader, value)).toEqual(value);
      expect(reader.heldBytes).toBeLessThanOrEqual(internedBytes);
    }
    const held = reader.heldBytes;
    parse(reader, [text(1, 5_000)]);
    expect(reader.heldBytes).toBe(held);
    parse(reader, [text(0, 2_000)]);
    expect(reader.heldBytes).toBeGreaterThan(held);
  });

  it("keeps no string that would displace the others", () => {
    const reader = new JsonReader({ internedBytes: 65_536 });
    parse(reader, ["kept"]);
    const before = reader.heldBytes;
    expect(parse(reader, ["y".repeat(20_000)])).toEqual(["y".repeat(20_000)]);
    parse(reader, ["kept"]);
    expect(reader.heldBytes).toBe(before);
  });

  it("keeps none when told so", () => {
    const reader = new JsonReader({ internedBytes: 0 });
    const value = { a: "x".repeat(100), b: ["\u00e9\n".repeat(50)] };
    for (let turn = 0; turn < 3; turn++) {
      const object = parse(reader, value) as JsonObject;
      expect([object.get("a"), object.get("b")]).toEqual([value.a, value.b]);
    }
    expect(reader.heldBytes).toBe(0);
  });

  it("tells strings apart whose fingerprints are equal", () => {
    // Without a key, groups of 16 bytes commute.
    const reader = new JsonReader({ fillRandom: (bytes) => bytes.fill(0) });
    const [a, b, c] = ["0123456789abcdef", "fedcba9876543210", "a quite long end of the string!!"];
    const values = [`${a}${b}${c}`, `${b}${a}${c}`, `${a}${b}${b}${a}${c}`, `${b}${a}${a}${b}${c}`];
    for (let turn = 0; turn < 3; turn++) expect(parse(reader, values)).toEqual(values);
  });

  it("never compares more than a few candidates, whatever their fingerprints", () => {
    const reader = new JsonReader({ fillRandom: (bytes) => bytes.fill(0) });
    const [a, b] = ["0123456789abcdef", "fedcba9876543210"];
    const pairs = Array.from({ length: 11 }, (_, bit) => [a, b, bit] as const);
    const values = Array.from({ length: 2_048 }, (_, bits) =>
      pairs
        .map(([x, y, bit]) => ((bits >> bit) & 1 ? `${x}${y}` : `${y}${x}`))
        .join("")
        .concat("end of the string, 32 bytes long"),
    );
    expect(parse(reader, values)).toEqual(values);
    expect(parse(reader, values)).toEqual(values);
  });

  it("parses texts that are too long for the scan, or have too many values for it", () => {
    const reader = new JsonReader({ maxScannedBytes: 65_536 });
    const long = { a: "z".repeat(70_000), b: 1 };
    expect((parse(reader, long) as JsonObject).get("a")).toBe(long.a);
    expect(reader.heldBytes).toBe(0);
    const many = parse(
      reader,
      Array.from({ length: 32_000 }, () => 7),
    ) as readonly JsonValue[];
    expect(many).toHaveLength(32_000);
    expect((many[31_999] as JsonNumber).lexeme).toBe("7");
  });

  it("refuses a text after which the last one's bytes still stand", () => {
    const reader = new JsonReader();
    parse(reader, { a: ["x", 12, true] });
    for (const cut of ['{"a":["x",12,tru', '{"a":["x",12', '{"a":["x', '{"a":["x\\', '{"a"', '{"a":', "{", ""]) {
      expect(() => reader.parse(Buffer.from(cut), limits)).toThrow(JsonSyntaxError);
    }
  });

  it("keeps a value as it is while other texts are parsed", () => {
    const reader = new JsonReader();
    const object = reader.parse(Buffer.from('{"a":{"b":1.50,"c":"x"},"d":[2]}'), limits) as JsonObject;
    parse(reader, { other: "text", of: ["another", "shape"] });
    expect(object.valueSpan("a")).toEqual({ start: 5, end: 23 });
    expect((object.get("a") as JsonObject).valueSpan("c")).toEqual({ start: 19, end: 22 });
    expect(((object.get("a") as JsonObject).get("b") as JsonNumber).lexeme).toBe("1.50");
    expect([object.start, object.end]).toEqual([0, 32]);
  });

  it.each([
    [{ internedBytes: -1 }, "internedBytes"],
    [{ internedBytes: 1.5 }, "internedBytes"],
    [{ maxScannedBytes: 0 }, "maxScannedBytes"],
    [{ maxScannedBytes: 1 << 30 }, "maxScannedBytes"],
  ])("refuses the options %j", (options, name) => {
    expect(() => new JsonReader(options)).toThrow(name);
  });
});
