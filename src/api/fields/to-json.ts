import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";

/** A struct that would be written again as it was read: nothing of its source was dropped, moved or changed. */
export class VerbatimStruct {
  readonly #source: JsonObject;

  constructor(source: JsonObject) {
    this.#source = source;
  }

  /** What it was read from. */
  static sourceOf(struct: object): JsonObject | undefined {
    return #source in struct ? struct.#source : undefined;
  }
}

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
  const source = VerbatimStruct.sourceOf(struct);
  if (source !== undefined) return source;
  const entries: (readonly [string, JsonValue])[] = [];
  for (const [key, member] of Object.entries(struct)) if (member !== undefined) entries.push([key, toJson(member)]);
  return JsonObject.from(entries);
}
