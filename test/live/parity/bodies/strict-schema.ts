import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, type NodeSource, node } from "./json-node.ts";
import { sentence } from "./texts.ts";

/** A schema mostly within what strict functions may use: closed objects, references, definitions, bounds. */
export function strictSchema(chance: Chance): JsonNode {
  const root = closedObject(chance, 2);
  const definitions = chance.maybe(0.4, () => ({
    d: closedObject(chance, 1),
    "e/~": chance.pick<NodeSource>([{ type: "string" }, { $ref: "#/$defs/d" }, true]),
  }));
  return node({
    ...root,
    [chance.usually(["$defs", "definitions"], ["defs"])]: definitions,
    ...(chance.is(0.1) ? atRoot(chance) : {}),
    ...(chance.is(0.1) ? { properties: nested(chance) } : {}),
  });
}

function closedObject(chance: Chance, depth: number): Readonly<Record<string, NodeSource>> {
  const names = ["a", "b", "c"].slice(0, chance.integer(0, 3));
  const inner = Object.fromEntries(names.map((name) => [name, property(chance, depth)]));
  return {
    type: chance.usually<NodeSource>(["object", "object", ["object"]], [["object", "null"], "Object", undefined]),
    properties: inner,
    required: chance.usually<readonly string[]>([names], [names.slice(1), [...names, "z"], [...names, "a"]]),
    additionalProperties: chance.usually<NodeSource>([false], [true, {}, undefined, null]),
    ...(chance.is(0.15) ? keyword(chance) : {}),
  };
}

function property(chance: Chance, depth: number): NodeSource {
  return chance.oneOf<NodeSource>(
    [4, () => ({ type: chance.pick(["string", "integer", "number", "boolean", "null"]), ...keyword(chance) })],
    [depth > 0 ? 3 : 0, () => closedObject(chance, depth - 1)],
    [1, () => ({ type: "array", items: depth > 0 ? property(chance, depth - 1) : { type: "string" } })],
    [1, () => ({ anyOf: chance.list(chance.isOdd() ? 0 : 1, 2, () => property(chance, 0)) })],
    [1, () => ({ $ref: reference(chance), ...(chance.is(0.2) ? { type: "object" } : {}) })],
    [0.5, () => ({ enum: chance.usually<NodeSource>([["x", 1, null], []], ["x"]) })],
    [0.3, () => ({ type: chance.usually<NodeSource>([["string", "null"]], [["string", "string"], [], "text", 3]) })],
    [0.3, () => true],
    [chance.odd(0.3), () => chance.pick<NodeSource>([null, 3, "string", []])],
  );
}

function reference(chance: Chance): string {
  return chance.usually(
    ["#/$defs/d", "#/$defs/e~1~0", "#/%24defs/d", "#", "#/properties/a"],
    ["#/$defs/none", "other.json#/a", "#d", "#/%2", "#/%ff", "#/$defs/e~2", "#/required", "", "#/"],
  );
}

/** A keyword beside a type, mostly one that is taken. */
function keyword(chance: Chance): Readonly<Record<string, NodeSource>> {
  const taken: readonly (readonly [string, NodeSource])[] = [
    ...([
      ["title", "t"],
      ["description", sentence(chance)],
      ["default", { a: 1 }],
      ["const", "x"],
    ] as const),
    ...([
      ["pattern", "^a$"],
      ["format", "date"],
      ["minLength", 0],
      ["maxLength", lexeme("5.0")],
    ] as const),
    ...([
      ["minimum", lexeme("-1.5")],
      ["multipleOf", lexeme("0.5")],
      ["minItems", 1],
      ["maxProperties", 2],
    ] as const),
    ...([
      ["propertyNames", { type: "string" }],
      ["contentSchema", true],
      ["dependencies", { a: ["b"] }],
    ] as const),
    ["prefixItems", [{ type: "string" }]],
  ];
  const refused: readonly (readonly [string, NodeSource])[] = [
    ...([
      ["allOf", []],
      ["oneOf", [{}]],
      ["not", {}],
      ["if", {}],
      ["uniqueItems", false],
      ["contains", {}],
    ] as const),
    ...([
      ["pattern", 1],
      ["format", null],
      ["minLength", -1],
      ["minLength", lexeme("0.5")],
      ["maximum", "1"],
    ] as const),
    ...([
      ["multipleOf", 0],
      ["enum", "x"],
      ["anyOf", []],
      ["prefixItems", []],
      ["dependencies", { a: ["b", "b"] }],
    ] as const),
    ...([
      ["$dynamicRef", "#"],
      ["$id", "x"],
      ["id", "x"],
      ["unevaluatedItems", true],
      ["items", []],
    ] as const),
    ...([
      ["patternProperties", { "^a": true }],
      ["additionalItems", 3],
      ["$defs", []],
      ["$ref", 1],
    ] as const),
  ];
  const [name, value] = chance.usually(taken, refused);
  return { [name]: value };
}

function atRoot(chance: Chance): Readonly<Record<string, NodeSource>> {
  return chance.usually<Readonly<Record<string, NodeSource>>>(
    [{ $schema: "x" }, { $id: "x" }, { $ref: "#/$defs/d" }],
    [{ anyOf: [{ type: "object" }] }, { type: "string" }, { $ref: "#" }, { additionalProperties: { type: "string" } }],
  );
}

/** Objects in each other, at the deepest that is allowed or beyond. */
function nested(chance: Chance): NodeSource {
  let inner: NodeSource = { type: "string" };
  for (let depth = chance.integer(8, 11); depth > 0; depth--) {
    inner = { type: "object", properties: { a: inner }, required: ["a"], additionalProperties: false };
  }
  return { a: inner };
}
