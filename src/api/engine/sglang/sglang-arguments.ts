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

/** The value of a JSON text as orjson reads it; undefined when it is none. */
export function orjson(text: string): JsonValue | undefined {
  const value = pythonJson(text);
  return value === undefined ? undefined : asOrjson(value);
}

/**
 * A value as it is after orjson has read it: integers beyond 64 bits are floats.
 * @throws Untokenizable for numbers beyond a double, which orjson refuses
 */
export function asOrjson(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return orjsonNumber(value);
  if (isList(value)) return value.map(asOrjson);
  return value instanceof JsonObject ? objectAsOrjson(value) : value;
}

export function objectAsOrjson(value: JsonObject): JsonObject {
  return JsonObject.from(Array.from(value.entries(), ([key, member]) => [key, asOrjson(member)] as const));
}

const least = -(1n << 63n);
const most = (1n << 64n) - 1n;

function orjsonNumber(value: JsonNumber): JsonNumber {
  const double = value.toNumber();
  if (!Number.isFinite(double)) throw new Untokenizable("a number beyond a double");
  return value.isInteger && isBig(value) ? new JsonNumber(double.toExponential()) : value;
}

function isBig(value: JsonNumber): boolean {
  if (value.lexeme.length < 19) return false;
  if (value.lexeme.length > 20) return true;
  const exact = value.toBigInt();
  return exact < least || exact > most;
}
