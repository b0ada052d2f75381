import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import { DictValue } from "./dict-value.ts";
import { FloatValue, integer, SequenceValue, type Value } from "./value.ts";

/** Turns JSON into values, level by level as they are looked at. */
export type JsonConversion = (value: JsonValue) => Value;

/** @param readNumber what the dialect's JSON parser makes of a number */
export function jsonConversion(readNumber: (number: JsonNumber) => Value): JsonConversion {
  const convert: JsonConversion = (value) => {
    if (value === null || typeof value !== "object") return value;
    if (value instanceof JsonNumber) return readNumber(value);
    if (value instanceof JsonObject) return DictValue.ofJson(value, convert);
    return new SequenceValue("list", () => value.map(convert));
  };
  return convert;
}

/** Python's json: integers of any size. */
export function pythonNumber(number: JsonNumber): Value {
  return number.isInteger ? integer(number.toBigInt()) : new FloatValue(number.toNumber());
}

const maxU64 = 2n ** 64n - 1n;
const minI64 = -(2n ** 63n);

/** serde_json: `-0` and integers outside i64 and u64 are doubles. What it reads otherwise than the nearest double is replaced before. */
export function serdeNumber(number: JsonNumber): Value {
  if (!number.isInteger || number.lexeme === "-0") return new FloatValue(number.toNumber());
  const exact = number.toBigInt();
  return exact > maxU64 || exact < minI64 ? new FloatValue(number.toNumber()) : integer(exact);
}
