import { JsonNumber, JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { notTaken } from "../members.ts";
import { pythonJson } from "../python-json.ts";
import { Untokenizable } from "../untokenizable.ts";

/**
 * Arguments of a call of an earlier turn, as an object; null stays.
 * @throws Untokenizable for text that is no JSON object, which SGLang refuses
 */
export function sglangArguments(value: JsonValue): JsonObject | null {
  if (value === null || value instanceof JsonObject) return value;
  const parsed = typeof value === "string" ? orjson(value) : undefined;
  if (!(parsed instanceof JsonObject)) throw notTaken("tool_calls");
  return parsed;
}

/**
 * The value of a JSON text as orjson reads it; undefined when it is none.
 * @throws Untokenizable for integers beyond 64 bits, of which orjson makes floats
 */
export function orjson(text: string): JsonValue | undefined {
  const value = pythonJson(text);
  if (value !== undefined && holdsBigInteger(value)) throw new Untokenizable("an integer beyond 64 bits");
  return value;
}

const least = -(1n << 63n);
const most = (1n << 64n) - 1n;

function holdsBigInteger(value: JsonValue): boolean {
  if (value instanceof JsonNumber) return value.isInteger && isBig(value);
  if (isList(value)) return value.some(holdsBigInteger);
  if (!(value instanceof JsonObject)) return false;
  for (const [, member] of value.entries()) if (holdsBigInteger(member)) return true;
  return false;
}

function isBig(value: JsonNumber): boolean {
  if (value.lexeme.length < 19) return false;
  if (value.lexeme.length > 20) return true;
  const exact = value.toBigInt();
  return exact < least || exact > most;
}
