import type { Filter } from "../dialect/dialect.ts";
import { exactFixed, roundedQuotient, roundedToTens } from "../python/exact-decimal.ts";
import { pythonFloat } from "../python/float.ts";
import { parsedInteger } from "../python/integer-text.ts";
import { strip } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { numeric } from "../values/compare.ts";
import { isTrue } from "../values/iterate.ts";
import { FloatValue, integer, isText, textOf, type Value } from "../values/value.ts";

type BoundFilter = (value: Value, args: BoundArguments) => Value;

function filter(names: readonly string[], required: number, run: BoundFilter): Filter {
  return (value, args) => run(value, new BoundArguments(args, names, required));
}

/** Filters of numbers (jinja2@3.1.6 filters.py). */
export const pythonNumberFilters: readonly (readonly [string, Filter])[] = [
  ["int", filter(["default", "base"], 0, toInteger)],
  ["float", filter(["default"], 0, toFloat)],
  ["abs", filter([], 0, absolute)],
  ["round", filter(["precision", "method"], 0, round)],
  ["filesizeformat", filter(["binary"], 0, fileSize)],
];

function toInteger(value: Value, args: BoundArguments): Value {
  const fallback = args.has("default") ? args.get("default") : 0;
  if (value === undefined) throw new TemplateRefusal();
  if (isText(value)) {
    const whole = parsedInteger(strip(textOf(value)), args.integer("base", 10));
    if (whole !== undefined) return integer(whole);
    const float = pythonFloat(strip(textOf(value)));
    return float === undefined ? fallback : truncated(float, fallback);
  }
  if (value instanceof FloatValue) return truncated(value.value, fallback);
  return numeric(value) ?? fallback;
}

function truncated(value: number, fallback: Value): Value {
  return Number.isFinite(value) ? integer(BigInt(Math.trunc(value))) : fallback;
}

function toFloat(value: Value, args: BoundArguments): Value {
  const fallback = args.has("default") ? args.get("default") : new FloatValue(0);
  if (value === undefined) throw new TemplateRefusal();
  if (value instanceof FloatValue) return value;
  const number = isText(value) ? pythonFloat(strip(textOf(value))) : numeric(value);
  return number === undefined ? fallback : new FloatValue(Number(number));
}

function absolute(value: Value): Value {
  if (value instanceof FloatValue) return new FloatValue(Math.abs(value.value));
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  return number < 0 ? integer(-BigInt(number)) : number;
}

/** Beyond them a double has no digits to round. */
const MAX_DIGITS = 330;

function round(value: Value, args: BoundArguments): Value {
  const method = args.has("method") ? args.get("method") : "common";
  if (method !== "common" && method !== "ceil" && method !== "floor") throw new TemplateRefusal();
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  const precision = args.integer("precision", 0);
  if (method !== "common") return directed(value, precision, method === "ceil" ? Math.ceil : Math.floor);
  if (!(value instanceof FloatValue)) return roundedInteger(BigInt(number), precision);
  if (!Number.isFinite(value.value) || precision > MAX_DIGITS) return value;
  if (precision < -MAX_DIGITS) return new FloatValue(0);
  return new FloatValue(
    precision >= 0 ? Number(exactFixed(value.value, precision)) : roundedToTens(value.value, -precision),
  );
}

function roundedInteger(value: bigint, precision: number): Value {
  if (precision >= 0) return integer(value);
  if (precision < -MAX_DIGITS) return 0;
  const unit = 10n ** BigInt(-precision);
  const size = roundedQuotient(value < 0n ? -value : value, unit) * unit;
  return integer(value < 0n ? -size : size);
}

/** Up or down: by doubles, as there. */
function directed(value: Value, precision: number, toward: (value: number) => number): Value {
  const number = Number(numeric(value));
  if (!Number.isSafeInteger(Math.trunc(number)) || Math.abs(precision) > 22)
    throw new UnsupportedTemplateError("a method of round");
  const unit = Number(`1e${precision}`);
  const scaled = toward(number * unit);
  if (!Number.isSafeInteger(scaled)) throw new UnsupportedTemplateError("a method of round");
  return new FloatValue(scaled === 0 ? 0 : scaled / unit);
}

function fileSize(value: Value, args: BoundArguments): Value {
  const isBinary = isTrue(args.get("binary"));
  const bytes = isText(value) ? pythonFloat(strip(textOf(value))) : numeric(value);
  if (bytes === undefined) throw new TemplateRefusal();
  return sizeText(Number(bytes), isBinary ? 1024 : 1000, isBinary ? "i" : "");
}

function sizeText(bytes: number, base: number, sign: string): string {
  if (bytes === 1) return "1 Byte";
  if (Number.isNaN(bytes)) throw new UnsupportedTemplateError("the size of no number");
  if (bytes < base) {
    if (!Number.isFinite(bytes)) throw new TemplateRefusal();
    return `${BigInt(Math.trunc(bytes))} Bytes`;
  }
  const prefixes = base === 1024 ? "KMGTPEZY" : "kMGTPEZY";
  const at = [...prefixes].findIndex((_, place) => bytes < base ** (place + 2));
  const place = at === -1 ? prefixes.length - 1 : at;
  const size = (base * bytes) / base ** (place + 2);
  const text = Number.isFinite(size) ? exactFixed(size, 1) : "inf";
  return `${text} ${prefixes.charAt(place)}${sign}B`;
}
