import { describe, expect, it } from "vitest";
import { checkStrictSchema } from "../../../src/api/strict-schema/index.ts";
import { object } from "./fixtures.ts";

const closed = (properties: object, extra: object = {}): object => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...extra,
});

/** Object schemas inside one another, `levels` below the root. */
function nested(levels: number): object {
  return levels === 0 ? closed({}) : closed({ a: nested(levels - 1) });
}

/** Verdicts follow dynamo-llm 1.6.1 protocols/openai/strict_schema.rs. */
describe("checkStrictSchema takes", () => {
  it.each<[string, object]>([
    ["a closed object", closed({ a: { type: "string" } })],
    [
      "nullable types, enums and arrays",
      closed({
        a: { type: ["string", "null"], enum: ["x", null] },
        b: { type: "array", items: { type: "integer", minimum: 0 } },
      }),
    ],
    ["anyOf below the root", closed({ a: { anyOf: [{ type: "string" }, closed({})] } })],
    [
      "a reference to a definition",
      closed({ a: { $ref: "#/$defs/x~1y%20z" } }, { $defs: { "x/y z": { type: "string" } } }),
    ],
    ["recursion through a child", closed({ a: { anyOf: [{ $ref: "#" }, { type: "null" }] } })],
    [
      "a typed reference to a closed object",
      closed({ a: { type: "object", $ref: "#/$defs/x" } }, { $defs: { x: closed({}) } }),
    ],
    ["boolean schemas", closed({ a: true })],
    ["undeclared required beside patterns", closed({}, { required: ["z"], patternProperties: { ".*": true } })],
    ["objects ten levels below", nested(10)],
    [
      "a long chain of references",
      closed(
        {},
        {
          $defs: {
            ...Object.fromEntries(
              Array.from({ length: 20_000 }, (_, at) => [`d${at}`, { type: "object", $ref: `#/$defs/d${at + 1}` }]),
            ),
            d20000: closed({}),
          },
        },
      ),
    ],
    ["a root by reference", { $ref: "#/$defs/x", $defs: { x: closed({}) } }],
  ])("%s", (_, schema) => {
    expect(() => checkStrictSchema(object(schema))).not.toThrow();
  });
});

describe("checkStrictSchema refuses", () => {
  it.each<[string, object, string]>([
    ["an open object", { type: "object", properties: {} }, "additionalProperties: false"],
    ["an optional property", closed({ a: true }, { required: [] }), "every property must be listed"],
    ["an undeclared required property", closed({}, { required: ["z"] }), "undeclared"],
    ["required that repeats", closed({}, { required: ["a", "a"] }), "unique strings"],
    ["keywords outside the subset", closed({ a: { allOf: [] } }), "at #/properties/a/allOf"],
    ["an unknown type", closed({ a: { type: "text" } }), "type names"],
    ["a repeated type", closed({ a: { type: ["null", "null"] } }), "unique strings"],
    ["an empty anyOf", closed({ a: { anyOf: [] } }), "nonempty array"],
    ["a fractional count", closed({ a: { minLength: 1.5 } }), "a count"],
    ["multipleOf zero", closed({ a: { multipleOf: 0 } }), "positive"],
    ["a pattern that is no string", closed({ a: { pattern: 1 } }), "a string"],
    ["a reference elsewhere", closed({ a: { $ref: "https://x/y" } }), "within the document"],
    ["an anchor", closed({ a: { $ref: "#name" } }), "anchors"],
    ["a reference to nothing", closed({ a: { $ref: "#/$defs/x" } }), "does not lead"],
    ["a bad percent escape", closed({ a: { $ref: "#/%7" } }), "percent"],
    [
      "a circle of references",
      closed({ a: { $ref: "#/$defs/x" } }, { $defs: { x: { $ref: "#/$defs/y" }, y: { $ref: "#/$defs/x" } } }),
      "circle",
    ],
    [
      "a typed reference to something open",
      closed({ a: { type: "object", $ref: "#/$defs/x" } }, { $defs: { x: { type: "string" } } }),
      "referenced schema",
    ],
    ["references beside nested identifiers", closed({ a: { $id: "x" }, b: { $ref: "#/properties/a" } }), "identifiers"],
    ["anyOf at the root", { anyOf: [closed({})], ...closed({}) }, "anyOf"],
    ["a root of another type", { type: "string" }, "type object"],
    ["a root that may be null", { ...closed({}), type: ["object", "null"] }, "type object"],
    ["objects eleven levels below", nested(11), "deeper than 10"],
    [
      "too many properties",
      closed(Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`p${at}`, true]))),
      "5000 properties",
    ],
  ])("%s", (_, schema, problem) => {
    expect(() => checkStrictSchema(object(schema))).toThrow(problem);
  });

  it("a schema that is no object", () => {
    expect(() => checkStrictSchema("x")).toThrow("an object or a boolean");
  });
});
