import { JsonNumber, JsonObject, type JsonValue } from "../../../../src/json/index.ts";
import type { Seen } from "../../framework/python-json.ts";

/** A value as Python's is told. */
export function shownJson(value: JsonValue): Seen {
  if (value instanceof JsonNumber) return ["number", value.lexeme];
  if (value instanceof JsonObject)
    return ["object", ...[...value.entries()].map(([name, each]) => [name, shownJson(each)])];
  return Array.isArray(value) ? ["array", ...value.map((each) => shownJson(each as JsonValue))] : (value as Seen);
}
