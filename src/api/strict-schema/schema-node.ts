import type { JsonObject, JsonValue } from "../../json/index.ts";
import { FieldError, isList } from "../fields/index.ts";

/** A schema inside a strict function's parameters, and where it stands. */
export interface SchemaNode {
  /** JSON Pointer from the root schema; "" for the root. */
  readonly pointer: string;
  readonly schema: JsonValue;
  /** Object schemas around it. */
  readonly objectDepth: number;
}

export function childPointer(pointer: string, key: string): string {
  return `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Longest pointer that an error repeats, in UTF-16 units: it is made of the client's own keys. */
const MAX_NAMED_POINTER = 128;

/** A refusal, placed by the pointer of the schema. */
export function schemaError(pointer: string, problem: string): FieldError {
  return new FieldError(`is not a strict schema: at #${pointer.slice(0, MAX_NAMED_POINTER)}, ${problem}`);
}

/** Strings of an array without repeats. */
export function uniqueStrings(value: JsonValue, pointer: string): ReadonlySet<string> {
  const strings = new Set<string>();
  if (!isList(value)) throw schemaError(pointer, "an array of unique strings is expected");
  for (const item of value) {
    if (typeof item !== "string" || strings.has(item))
      throw schemaError(pointer, "an array of unique strings is expected");
    strings.add(item);
  }
  return strings;
}

/** `type: object` (also within a list of types), or anything that declares properties. */
export function isObjectSchema(schema: JsonObject): boolean {
  const type = schema.get("type");
  return type === "object" || (isList(type) && type.includes("object")) || declaresProperties(schema);
}

export function declaresProperties(schema: JsonObject): boolean {
  return schema.has("properties") || schema.has("patternProperties");
}

/** Constrains an object by itself, whatever a `$ref` beside it says. */
export function hasOwnObjectRules(schema: JsonObject): boolean {
  return declaresProperties(schema) || schema.has("required") || schema.has("additionalProperties");
}
