import { JsonNumber, JsonObject, type JsonValue } from "../json/index.ts";
import type { TemplateDialect } from "./dialect.ts";
import {
  ArrayValue,
  BigIntegerValue,
  BooleanValue,
  FloatValue,
  IntegerValue,
  NullValue,
  ObjectValue,
  type RuntimeValue,
  StringValue,
} from "./runtime-values.ts";

const maxU64 = 2n ** 64n - 1n;
const minI64 = -(2n ** 63n);

/** A JSON value as the engine's: order kept, integers and floats told apart as the dialect's parser does. */
export function runtimeValue(value: JsonValue, dialect: TemplateDialect): RuntimeValue {
  if (value === null) return new NullValue(null);
  if (typeof value === "string") return new StringValue(value);
  if (typeof value === "boolean") return new BooleanValue(value);
  if (value instanceof JsonNumber) return numberValue(value, dialect);
  if (value instanceof JsonObject) {
    const members = new Map<string, RuntimeValue>();
    for (const [key, member] of value.entries()) members.set(key, runtimeValue(member, dialect));
    return new ObjectValue(members);
  }
  return new ArrayValue(value.map((item) => runtimeValue(item, dialect)));
}

function numberValue(number: JsonNumber, dialect: TemplateDialect): RuntimeValue {
  if (!number.isInteger) return new FloatValue(number.toNumber());
  if (dialect === "dynamo" && isFloatToSerde(number)) return new FloatValue(number.toNumber());
  const exact = number.toBigInt();
  const rounded = Number(exact);
  return Number.isSafeInteger(rounded) ? new IntegerValue(rounded) : new BigIntegerValue(exact.toString());
}

/** serde_json reads `-0` and integers outside i64 and u64 as doubles. */
function isFloatToSerde(number: JsonNumber): boolean {
  if (number.lexeme === "-0") return true;
  const exact = number.toBigInt();
  return exact > maxU64 || exact < minI64;
}
