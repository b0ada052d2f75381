import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";

/** Writes a value made by readers as JSON again: members in the reader's order, undefined ones left out. */
export function toJson(value: unknown): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (value instanceof JsonNumber || value instanceof JsonObject) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === "object") return structToJson(value);
  throw new TypeError(`${typeof value} is not written to a template`);
}

/** The object form of `toJson`. */
export function structToJson(struct: object): JsonObject {
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [key, member] of Object.entries(struct)) if (member !== undefined) entries.push([key, toJson(member)]);
  return JsonObject.from(entries);
}
