import type { Frame } from "../compile/frame.ts";
import type { BinaryOperator, Operation } from "../dialect/dialect.ts";
import { escapeHtml } from "../filters/escape-html.ts";
import { dividedIntegers } from "../python/exact-decimal.ts";
import { formatPercent } from "../python/percent-format.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { numeric } from "./compare.ts";
import { FloatValue, integer, isSequence, isText, MarkupValue, SequenceValue, type Value } from "./value.ts";

/** Python's arithmetic. */
export const pythonOperations: Readonly<Record<BinaryOperator, Operation>> = {
  "+": add,
  "-": (left, right) =>
    calculate(left, right, { float: (a, b) => a - b, whole: (a, b) => a - b, big: (a, b) => a - b }),
  "*": multiply,
  "/": (left, right) => divide(left, right),
  "//": (left, right) => calculate(left, right, { float: floorFloat, whole: floorWhole, big: floorBig }),
  "%": (left, right) => (typeof left === "string" ? formatPercent(left, right) : modulo(left, right)),
  "**": power,
};

function add(left: Value, right: Value, frame: Frame): Value {
  if (typeof left === "string" && typeof right === "string") {
    if (left.length + right.length > 1_000_000) frame.render.checkLength(left.length + right.length);
    return left + right;
  }
  if (isText(left) && isText(right)) return joinedMarkup(left, right, frame);
  if (isSequence(left) && isSequence(right)) {
    if (left.type !== right.type || (left.type !== "list" && left.type !== "tuple")) throw new TemplateRefusal();
    frame.render.checkLength(4 * (left.items.length + right.items.length));
    return new SequenceValue(left.type, [...left.items, ...right.items]);
  }
  return calculate(left, right, { float: (a, b) => a + b, whole: (a, b) => a + b, big: (a, b) => a + b });
}

/** Text joined to markup is escaped. */
function joinedMarkup(left: string | MarkupValue, right: string | MarkupValue, frame: Frame): Value {
  const escaped = (text: string | MarkupValue) => (typeof text === "string" ? escapeHtml(text) : text.text);
  const joined = escaped(left) + escaped(right);
  frame.render.spend(joined.length);
  return new MarkupValue(joined);
}

interface Calculation {
  readonly float: (left: number, right: number) => number;
  /** Of safe integers; an unsafe result is calculated again. */
  readonly whole: (left: number, right: number) => number;
  readonly big: (left: bigint, right: bigint) => bigint;
}

function calculate(left: Value, right: Value, by: Calculation): Value {
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) throw new TemplateRefusal();
  if (left instanceof FloatValue || right instanceof FloatValue) return new FloatValue(by.float(Number(a), Number(b)));
  if (typeof a === "number" && typeof b === "number") {
    const result = by.whole(a, b);
    if (Number.isSafeInteger(result)) return result === 0 ? 0 : result;
  }
  return integer(by.big(BigInt(a), BigInt(b)));
}

function multiply(left: Value, right: Value, frame: Frame): Value {
  const count = typeof left === "number" ? left : typeof left === "boolean" ? Number(left) : undefined;
  if (count !== undefined && (typeof right === "string" || isSequence(right))) return repeated(right, count, frame);
  const times = typeof right === "number" ? right : typeof right === "boolean" ? Number(right) : undefined;
  if (times !== undefined && (typeof left === "string" || isSequence(left))) return repeated(left, times, frame);
  if (left instanceof MarkupValue || right instanceof MarkupValue)
    throw new UnsupportedTemplateError("repeating markup");
  return calculate(left, right, { float: (a, b) => a * b, whole: (a, b) => a * b, big: (a, b) => a * b });
}

function repeated(value: string | SequenceValue, count: number, frame: Frame): Value {
  const times = Math.max(0, count);
  if (typeof value === "string") {
    frame.render.checkLength(value.length * times);
    return value.repeat(times);
  }
  if (value.type !== "list" && value.type !== "tuple") throw new TemplateRefusal();
  frame.render.checkLength(value.items.length * times);
  return new SequenceValue(value.type, Array.from({ length: times }, () => value.items).flat());
}

function divide(left: Value, right: Value): Value {
  const a = numeric(left);
  const b = numeric(right);
  // biome-ignore lint/suspicious/noDoubleEquals: 0 or 0n
  if (a === undefined || b === undefined || b == 0) throw new TemplateRefusal();
  const isFloat = left instanceof FloatValue || right instanceof FloatValue;
  if (isFloat || (typeof a === "number" && typeof b === "number")) return new FloatValue(Number(a) / Number(b));
  const quotient = dividedIntegers(BigInt(a), BigInt(b));
  if (!Number.isFinite(quotient)) throw new TemplateRefusal();
  return new FloatValue(quotient);
}

function modulo(left: Value, right: Value): Value {
  if (left instanceof MarkupValue) throw new UnsupportedTemplateError("formatting markup");
  return calculate(left, right, {
    float: modFloat,
    whole: (a, b) => a - b * floorWhole(a, b),
    big: (a, b) => a - b * floorBig(a, b),
  });
}

function modFloat(left: number, right: number): number {
  if (right === 0) throw new TemplateRefusal();
  const rest = left % right;
  if (rest !== 0) return rest < 0 === right < 0 ? rest : rest + right;
  return right < 0 ? -0 : 0;
}

/** CPython 3.11 floatobject.c `float_floor_div`, in its order of steps: each rounds. */
function floorFloat(left: number, right: number): number {
  if (right === 0) throw new TemplateRefusal();
  const rest = left % right;
  const borrows = rest !== 0 && rest < 0 !== right < 0;
  const quotient = (left - rest) / right - (borrows ? 1 : 0);
  // A quotient that is rounded to nothing keeps its sign.
  if (quotient === 0) return 1 / (left / right) < 0 ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function floorWhole(left: number, right: number): number {
  if (right === 0) throw new TemplateRefusal();
  // A quotient of doubles may round up to the next integer: the remainder tells.
  return (left - (((left % right) + right) % right)) / right;
}

function floorBig(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new TemplateRefusal();
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/** Most bits of a power. */
const MAX_POWER_BITS = 4_096;

function power(left: Value, right: Value): Value {
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) throw new TemplateRefusal();
  const isFloat = left instanceof FloatValue || right instanceof FloatValue || b < 0;
  if (isFloat) return new FloatValue(floatPower(Number(a), Number(b)));
  if (BigInt(a).toString(2).length * Number(b) > MAX_POWER_BITS) throw new UnsupportedTemplateError("a large power");
  return integer(BigInt(a) ** BigInt(b));
}

/** Powers of which every library gives the same double. */
function floatPower(base: number, exponent: number): number {
  if (base === 0 && exponent < 0) throw new TemplateRefusal();
  if (exponent === 0 || base === 1) return 1;
  if (exponent === 1) return base;
  if (exponent === 2) return base * base;
  if (exponent === -1) return 1 / base;
  if (base === 2 && Number.isInteger(exponent) && Math.abs(exponent) < 1_000) return 2 ** exponent;
  throw new UnsupportedTemplateError("a power of floats");
}

/** Python's unary minus. */
export function pythonNegative(value: Value): Value {
  if (value instanceof FloatValue) return new FloatValue(-value.value);
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  if (typeof number === "number") return number === 0 ? 0 : -number;
  return integer(-BigInt(number));
}
