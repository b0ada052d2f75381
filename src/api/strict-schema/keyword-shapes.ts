import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { childPointer, hasOwnObjectRules, isObjectSchema, schemaError, uniqueStrings } from "./schema-node.ts";

/** Keywords outside the structured-output subset. */
const refusedKeywords = [
  "allOf",
  "oneOf",
  "not",
  "dependentRequired",
  "dependentSchemas",
  "if",
  "then",
  "else",
  "uniqueItems",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedItems",
  "$dynamicRef",
  "$recursiveRef",
];

const typeNames = new Set<JsonValue>(["null", "boolean", "object", "array", "number", "integer", "string"]);
const textKeywords = ["$ref", "pattern", "format"];
const numberKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const countKeywords = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** Refuses keywords outside the subset, and values of the wrong type for those inside it. */
export function checkKeywords(schema: JsonObject, pointer: string): void {
  const refused = refusedKeywords.find((keyword) => schema.has(keyword));
  if (refused !== undefined) throw schemaError(childPointer(pointer, refused), "the keyword is not supported");
  checkType(schema, pointer);
  const required = schema.get("required");
  if (required !== undefined) uniqueStrings(required, childPointer(pointer, "required"));
  const given = (keyword: string): JsonValue | undefined => schema.get(keyword);
  refuseWhere(pointer, ["enum"], given, (value) => !isList(value), "an array is expected");
  refuseWhere(pointer, textKeywords, given, (value) => typeof value !== "string", "a string is expected");
  refuseWhere(pointer, numberKeywords, given, (value) => !(value instanceof JsonNumber), "a number is expected");
  refuseWhere(pointer, ["multipleOf"], given, (value) => !(numeric(value) > 0), "a positive number is expected");
  refuseWhere(
    pointer,
    countKeywords,
    given,
    (value) => !(numeric(value) >= 0 && Number.isInteger(numeric(value))),
    "a count is expected",
  );
}

function refuseWhere(
  pointer: string,
  keywords: readonly string[],
  given: (keyword: string) => JsonValue | undefined,
  isBad: (value: JsonValue) => boolean,
  problem: string,
): void {
  for (const keyword of keywords) {
    const value = given(keyword);
    if (value !== undefined && isBad(value)) throw schemaError(childPointer(pointer, keyword), problem);
  }
}

function numeric(value: JsonValue): number {
  return value instanceof JsonNumber ? value.toNumber() : Number.NaN;
}

function checkType(schema: JsonObject, pointer: string): void {
  const type = schema.get("type");
  if (type === undefined || (typeof type === "string" && typeNames.has(type))) return;
  const location = childPointer(pointer, "type");
  const names = typeof type === "string" ? new Set<string>() : uniqueStrings(type, location);
  const isKnown = names.size > 0 && [...names].every((name) => typeNames.has(name));
  if (!isKnown) throw schemaError(location, "recognized, unique type names are expected");
}

/** An object schema must be closed, and require exactly what it declares. Beside a `$ref` only own rules count. */
export function checkClosedObject(schema: JsonObject, pointer: string): void {
  const isChecked = schema.has("$ref") ? hasOwnObjectRules(schema) : isObjectSchema(schema);
  if (!isChecked) return;
  if (schema.get("additionalProperties") !== false) {
    throw schemaError(pointer, "object schemas require additionalProperties: false");
  }
  const properties = schemaMap(schema, "properties", pointer);
  const patterns = schemaMap(schema, "patternProperties", pointer);
  const location = childPointer(pointer, "required");
  const required = uniqueStrings(schema.get("required") ?? [], location);
  for (const name of properties?.keys() ?? []) {
    if (!required.has(name)) throw schemaError(location, "every property must be listed");
  }
  if (patterns !== undefined && patterns.size > 0) return;
  for (const name of required) {
    if (properties?.has(name) !== true) throw schemaError(location, "an undeclared property is listed");
  }
}

function schemaMap(schema: JsonObject, keyword: string, pointer: string): JsonObject | undefined {
  const value = schema.get(keyword);
  if (value === undefined || value instanceof JsonObject) return value;
  throw schemaError(childPointer(pointer, keyword), "a map of schemas is expected");
}
