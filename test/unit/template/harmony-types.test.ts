import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { JsonObject, type JsonValue, parseJson } from "../../../src/json/index.ts";
import { typeOfSchema } from "../../../src/template/native/harmony/schema-type.ts";

/** What oss-harmony 0.0.11 makes of schemas; `scripts/oracle/engines/harmony_types.py` wrote it. */
const lines = gunzipSync(readFileSync(join(import.meta.dirname, "..", "..", "fixtures", "harmony", "types.jsonl.gz")))
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "");

function member(line: string, name: string): JsonValue {
  const root = parseJson(Buffer.from(line));
  return root instanceof JsonObject ? (root.get(name) ?? null) : null;
}

function schema(text: string): JsonValue {
  return parseJson(Buffer.from(text));
}

describe("a JSON schema as Harmony's type", () => {
  it("is the library's for 230 schemas", () => {
    expect(lines.length).toBe(230);
    for (const line of lines) expect(typeOfSchema(member(line, "schema")), line).toBe(member(line, "type"));
  });

  it("that would be longer than a prompt is not printed", () => {
    let text = '{"type":"string"}';
    for (let level = 0; level < 80; level++) {
      const comment = "x".repeat(20_000);
      text = `{"type":"object","properties":{"a":${text},"b":{"description":"${comment}"}}}`;
    }
    expect(() => typeOfSchema(schema(text))).toThrow("too long");
  });

  it("with a default that the library's versions write in two ways is not printed", () => {
    const text = '{"type":"object","properties":{"a":{"type":"number","default":1e22}}}';
    expect(() => typeOfSchema(schema(text))).toThrow("exponent");
  });
});
