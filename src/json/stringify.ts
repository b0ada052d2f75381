import { JsonNumber } from "./json-number.ts";
import type { JsonValue } from "./json-value.ts";

/** Compact JSON text; numbers keep their digits, objects their order. Control characters are escaped, other text is not. */
export function stringifyJson(value: JsonValue): string {
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.lexeme;
  if (isArray(value)) return `[${value.map(stringifyJson).join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of value.entries()) members.push(`${JSON.stringify(key)}:${stringifyJson(member)}`);
  return `{${members.join(",")}}`;
}

/** `Array.isArray` that also narrows a readonly array away. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
