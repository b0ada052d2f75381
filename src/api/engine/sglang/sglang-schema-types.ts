import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";

// SGLang rewrites types of other worlds in the schema of a tool before it renders it (sglang@0.5.23 function_call/utils.py
// normalize_json_schema_types).

const standardTypes: ReadonlySet<string> = new Set([
  "null",
  "boolean",
  "object",
  "array",
  "number",
  "string",
  "integer",
]);

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: "str text varchar char enum uuid date datetime time timestamp binary blob bytea bytes varbinary",
    boolean: "bool",
    integer: "bigint smallint tinyint",
    number: "double decimal real numeric",
    array: "arr tuple set",
    object: "map",
  }).flatMap(([type, words]) => words.split(" ").map((word) => [word, type] as const)),
);

/** A word stands for the type alone, or before a digit, an opening bracket or a blank. */
const prefixes: readonly (readonly [pattern: RegExp, type: string])[] = [
  [/^(int|uint|long|short|unsigned)($|[0-9[<( \t])/, "integer"],
  [/^(num|float)($|[0-9[<( \t])/, "number"],
  [/^list($|[0-9[<( \t])/, "array"],
  [/^dict($|[0-9[<( \t])/, "object"],
];

/** Keywords whose members are schemas, that hold lists of them, and that hold one. */
const ofSchemas = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const listsOfSchemas = ["anyOf", "oneOf", "allOf", "prefixItems"];
const schemas = [
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** The schema with standard types; the same object when it has no others. */
export function withStandardTypes(schema: JsonObject): JsonObject {
  return rewritten(schema) as JsonObject;
}

function rewritten(value: JsonValue): JsonValue {
  if (isList(value)) return mapped(value, rewritten);
  if (!(value instanceof JsonObject)) return value;
  return mappedMembers(value, (name, member) => {
    if (name === "type") return standardType(member);
    if (ofSchemas.includes(name))
      return member instanceof JsonObject ? mappedMembers(member, (_, each) => rewritten(each)) : member;
    if (listsOfSchemas.includes(name)) return isList(member) ? mapped(member, rewritten) : member;
    return schemas.includes(name) ? rewritten(member) : member;
  });
}

function mapped(values: readonly JsonValue[], change: (value: JsonValue) => JsonValue): readonly JsonValue[] {
  const changed = values.map(change);
  return changed.every((value, at) => value === values[at]) ? values : changed;
}

function mappedMembers(object: JsonObject, change: (name: string, value: JsonValue) => JsonValue): JsonObject {
  let isChanged = false;
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [name, value] of object.entries()) {
    const next = change(name, value);
    isChanged ||= next !== value;
    entries.push([name, next]);
  }
  return isChanged ? JsonObject.from(entries) : object;
}

/** Of a list each type once. */
function standardType(type: JsonValue): JsonValue {
  if (typeof type === "string") return standardWord(type);
  if (!isList(type)) return type;
  const words = type.map((item) => (typeof item === "string" ? standardWord(item) : item));
  const distinct = words.filter((word, at) => words.indexOf(word) === at);
  return distinct.length === type.length && distinct.every((word, at) => word === type[at]) ? type : distinct;
}

function standardWord(word: string): string {
  if (standardTypes.has(word)) return word;
  const base = (word.split("(", 1)[0] as string).trim().toLowerCase();
  if (standardTypes.has(base)) return base;
  return aliases.get(base) ?? prefixes.find(([pattern]) => pattern.test(base))?.[1] ?? word;
}
