import { JsonNumber } from "./json-number.ts";
import { JsonObject } from "./json-object.ts";
import type { JsonValue } from "./json-value.ts";
import { serdeDouble } from "./serde-double.ts";

/** Decimal exponents of the numbers that are written without one. */
const LEAST_PLAIN_EXPONENT = -5;
const MOST_PLAIN_EXPONENT = 15;

const MAX_U64 = (1n << 64n) - 1n;
const MIN_I64 = -(1n << 63n);
/** Digits of the longest 64-bit integer, with its sign. */
const MAX_INTEGER_LENGTH = 20;

/**
 * Compact JSON text of a value that the frontend reads and writes again: integers of 64 bits keep their digits, every other number
 * becomes the shortest text of its double (serde_json in dynamo@1.6.1, observed: `1e-05` is 0.00001, `1e16` is 1e+16, `-0` is -0.0).
 */
export function serdeJsonText(value: JsonValue): string {
  return serdeJsonTextWith(value, serdeDoubleText);
}

/** As `serdeJsonText`, with another text of the doubles: what another program writes of values that serde_json read. */
export function serdeJsonTextWith(value: JsonValue, doubleText: (value: number) => string): string {
  if (value instanceof JsonNumber) return isInteger64(value) ? value.lexeme : doubleText(serdeDouble(value.lexeme));
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map((item) => serdeJsonTextWith(item, doubleText)).join(",")}]`;
  const members: string[] = [];
  for (const [key, member] of value.entries()) {
    members.push(`${JSON.stringify(key)}:${serdeJsonTextWith(member, doubleText)}`);
  }
  return `{${members.join(",")}}`;
}

/**
 * The value as the frontend holds it once read, for what it does not write as text but gives to the template: doubles that it reads
 * otherwise than their nearest (z.float32() puts one into each schema) are replaced. Returns `value` itself when there is none.
 */
export function serdeValue(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return serdeNumber(value);
  if (value === null || typeof value !== "object") return value;
  if (isArray(value)) {
    const items = value.map(serdeValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  return serdeObject(value);
}

/** `serdeValue` of an object. */
export function serdeObject(object: JsonObject): JsonObject {
  let isChanged = false;
  const entries: [string, JsonValue][] = [];
  for (const [key, member] of object.entries()) {
    const read = serdeValue(member);
    isChanged ||= read !== member;
    entries.push([key, read]);
  }
  return isChanged ? JsonObject.from(entries) : object;
}

/** Short numbers are read rightly: 15 digits are exact in a double, and no power beyond 22 fits beside them. */
function serdeNumber(number: JsonNumber): JsonNumber {
  const { lexeme } = number;
  if (isInteger64(number) || (lexeme.length <= 15 && !/[eE]/.test(lexeme))) return number;
  const read = serdeDouble(lexeme);
  return read === number.toNumber() ? number : new JsonNumber(serdeDoubleText(read), false);
}

/** An integer that fits u64 or i64; `-0` is a double to serde_json. */
function isInteger64({ lexeme, isInteger }: JsonNumber): boolean {
  if (!isInteger || lexeme === "-0" || lexeme.length > MAX_INTEGER_LENGTH) return false;
  // Eighteen digits always fit.
  if (lexeme.length <= 18) return true;
  const value = BigInt(lexeme);
  return value >= MIN_I64 && value <= MAX_U64;
}

/** A finite double as serde_json writes it: `1.0`, `1e-7`, `-0.0`. */
export function serdeDoubleText(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa = "", exponentText = ""] = value.toExponential().split("e");
  const exponent = Number(exponentText);
  if (exponent < LEAST_PLAIN_EXPONENT || exponent > MOST_PLAIN_EXPONENT) return `${mantissa}e${exponentText}`;
  const sign = value < 0 ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${digits}`;
  const padded = digits.padEnd(exponent + 2, "0");
  return `${sign}${padded.slice(0, exponent + 1)}.${padded.slice(exponent + 1)}`;
}

/** `Array.isArray` that also narrows a readonly array away. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
