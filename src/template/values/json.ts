import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
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

/** Most digits of an integer that Python reads; more are an error there. Their conversion would take time by the square of their number. */
const MAX_PYTHON_DIGITS = 4_300;

/** Python's json: exact integers. @throws UnsupportedTemplateError for one with more digits than Python reads */
export function pythonNumber(number: JsonNumber): Value {
  const { lexeme, isInteger } = number;
  if (isInteger && lexeme.length > MAX_PYTHON_DIGITS && lexeme.replace("-", "").length > MAX_PYTHON_DIGITS) {
    throw new UnsupportedTemplateError("an integer with more digits than Python reads");
  }
  return isInteger ? integer(number.toBigInt()) : new FloatValue(number.toNumber());
}

const maxU64 = 2n ** 64n - 1n;
const minI64 = -(2n ** 63n);
/** Digits of `maxU64`, or a sign and those of `minI64`: whatever is longer fits neither. */
const MAX_INTEGER64_LENGTH = 20;

/** serde_json: `-0` and integers outside i64 and u64 are doubles. What it reads otherwise than the nearest double is replaced before. */
export function serdeNumber(number: JsonNumber): Value {
  const { lexeme, isInteger } = number;
  if (!isInteger || lexeme === "-0" || lexeme.length > MAX_INTEGER64_LENGTH) return new FloatValue(number.toNumber());
  const exact = number.toBigInt();
  return exact > maxU64 || exact < minI64 ? new FloatValue(number.toNumber()) : integer(exact);
}
