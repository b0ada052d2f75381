import { isList, JsonObject, type JsonValue } from "../../json/index.ts";

/** Whether a text is white space alone, as Rust's `trim` sees it. */
export function isBlankText(text: string): boolean {
  return /^\p{White_Space}*$/u.test(text);
}

/** Whether text or structured text says nothing: null, white space, an empty object or list. */
export function isBlank(value: JsonValue): boolean {
  if (typeof value === "string") return isBlankText(value);
  if (value instanceof JsonObject) return value.size === 0;
  return value === null || (isList(value) && value.length === 0);
}
