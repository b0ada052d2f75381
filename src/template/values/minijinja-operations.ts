import type { Frame } from "../compile/frame.ts";
import type { BinaryOperator, Operation } from "../dialect/dialect.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { numeric } from "./compare.ts";
import { FloatValue, integer, isNumber, isSequence, isText, SequenceValue, textOf, type Value } from "./value.ts";

/** minijinja's arithmetic (minijinja@2.24.0 value/ops.rs): integers of 128 bits, Euclidean division, lazy lists. */
export const minijinjaOperations: Readonly<Record<BinaryOperator, Operation>> = {
  "+": add,
  "-": (left, right) =>
    safely(left, right, (a, b) => a - b) ??
    calculate(
      left,
      right,
      (a, b) => a - b,
      (a, b) => a - b,
    ),
  "*": multiply,
  "/": (left, right) => calculateFloat(left, right, (a, b) => a / b),
  "//": (left, right) => calculate(left, right, divideEuclid, divideFloatEuclid),
  "%": (left, right) =>
    safely(left, right, remainderEuclid) ??
    calculate(
      left,
      right,
      (a, b) => a - b * divideEuclid(a, b),
      (a, b) => a % b,
    ),
  "**": (left, right) => calculate(left, right, power, (a, b) => a ** b),
};

function add(left: Value, right: Value, frame: Frame): Value {
  if (isText(left) && isText(right)) {
    const sum = textOf(left) + textOf(right);
    if (sum.length > 1_000_000) frame.render.checkLength(sum.length);
    return sum;
  }
  if (isSequence(left) && isSequence(right)) {
    frame.render.checkLength(4 * (left.items.length + right.items.length));
    return new SequenceValue("iterable", [...left.items, ...right.items]);
  }
  const sum = safely(left, right, (a, b) => a + b);
  if (sum !== undefined) return sum;
  return calculate(
    left,
    right,
    (a, b) => a + b,
    (a, b) => a + b,
  );
}

/** Small integers, whose result is one, too; undefined for anything else. */
function safely(left: Value, right: Value, by: (left: number, right: number) => number): number | undefined {
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  const result = by(left, right);
  if (!Number.isSafeInteger(result)) return undefined;
  return result === 0 ? 0 : result;
}

/** Never negative; not a number where the divisor is zero. */
function remainderEuclid(left: number, right: number): number {
  const rest = left % right;
  return rest < 0 ? rest + Math.abs(right) : rest;
}

function calculate(
  left: Value,
  right: Value,
  whole: (left: bigint, right: bigint) => bigint,
  float: (left: number, right: number) => number,
): Value {
  if (left instanceof FloatValue || right instanceof FloatValue) return calculateFloat(left, right, float);
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) throw new TemplateRefusal();
  const result = whole(BigInt(a), BigInt(b));
  if (BigInt.asIntN(128, result) !== result) throw new TemplateRefusal();
  return integer(result);
}

function calculateFloat(left: Value, right: Value, float: (left: number, right: number) => number): Value {
  const a = numeric(left);
  const b = numeric(right);
  if (a === undefined || b === undefined) throw new TemplateRefusal();
  return new FloatValue(float(Number(a), Number(b)));
}

function multiply(left: Value, right: Value, frame: Frame): Value {
  if (isText(left)) return repeatedText(textOf(left), right, frame);
  if (isText(right)) return repeatedText(textOf(right), left, frame);
  if (isSequence(left)) return repeatedItems(left, right, frame);
  if (isSequence(right)) return repeatedItems(right, left, frame);
  const product = safely(left, right, (a, b) => a * b);
  if (product !== undefined) return product;
  return calculate(
    left,
    right,
    (a, b) => a * b,
    (a, b) => a * b,
  );
}

function repeatedText(text: string, count: Value, frame: Frame): Value {
  const times = countOf(count);
  frame.render.checkLength(text.length * times);
  return text.repeat(times);
}

function repeatedItems({ items }: SequenceValue, count: Value, frame: Frame): Value {
  const times = countOf(count);
  frame.render.checkLength(items.length * times);
  return new SequenceValue("iterable", Array.from({ length: times }, () => items).flat());
}

/** A count that is not negative. @throws TemplateRefusal for anything else */
export function countOf(value: Value): number {
  const number = numeric(value);
  if (number === undefined || !Number.isSafeInteger(Number(number)) || number < 0) throw new TemplateRefusal();
  return Number(number);
}

function divideEuclid(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new TemplateRefusal();
  const quotient = left / right;
  if (left % right >= 0n) return quotient;
  return right > 0n ? quotient - 1n : quotient + 1n;
}

function divideFloatEuclid(left: number, right: number): number {
  const quotient = Math.trunc(left / right);
  if (left % right >= 0) return quotient;
  return right > 0 ? quotient - 1 : quotient + 1;
}

function power(base: bigint, exponent: bigint): bigint {
  if (exponent >= 2n ** 32n) throw new TemplateRefusal();
  if (exponent < 0n || base.toString(2).length * Number(exponent) > 4_096) {
    const isSmall = base === 0n || base === 1n || base === -1n;
    if (exponent >= 2n ** 32n) throw new TemplateRefusal();
    if (exponent < 0n || !isSmall) throw new TemplateRefusal();
  }
  return base ** exponent;
}

/** minijinja's unary minus. */
export function minijinjaNegative(value: Value): Value {
  if (value instanceof FloatValue) return new FloatValue(-value.value);
  if (!isNumber(value)) throw new TemplateRefusal();
  if (typeof value === "number") return value === 0 ? 0 : -value;
  return integer(-BigInt(value));
}
