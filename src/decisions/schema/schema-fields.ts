import { isList, JsonObject, type JsonValue } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";

/** The body is not of the contract's shape. */
export function schemaMismatch(): DecisionError {
  return new DecisionError("invalid_request", "request does not match the selected decision schema");
}

/** The object, when it has no other keys. @throws DecisionError */
export function objectOfOnly(value: JsonValue | undefined, keys: readonly string[]): JsonObject {
  const object = anyObjectIn(value);
  for (const key of object.keys()) if (!keys.includes(key)) throw schemaMismatch();
  return object;
}

/** @throws DecisionError */
export function anyObjectIn(value: JsonValue | undefined): JsonObject {
  if (!(value instanceof JsonObject)) throw schemaMismatch();
  return value;
}

/** @throws DecisionError */
export function textIn(value: JsonValue | undefined): string {
  if (typeof value !== "string") throw schemaMismatch();
  return value;
}

/** Undefined = absent; null is refused. @throws DecisionError */
export function optionalTextIn(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : textIn(value);
}

/** @throws DecisionError */
export function listIn(value: JsonValue | undefined): readonly JsonValue[] {
  if (!isList(value)) throw schemaMismatch();
  return value;
}

/** Text, or text with a structure: Jev's states, instructions and criteria. @throws DecisionError */
export function structuredTextIn(value: JsonValue | undefined): JsonValue {
  if (typeof value === "string" || value instanceof JsonObject || isList(value)) return value;
  throw schemaMismatch();
}

/** Null for an absent one as well. @throws DecisionError */
export function nullableStructuredTextIn(value: JsonValue | undefined): JsonValue {
  return value === undefined || value === null ? null : structuredTextIn(value);
}
