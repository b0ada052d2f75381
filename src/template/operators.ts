import type { TemplateDialect } from "./dialect.ts";
import {
  ArrayValue,
  BigIntegerValue,
  claim,
  FloatValue,
  IntegerValue,
  isArray,
  isBoolean,
  isFloat,
  isInteger,
  isMapping,
  isNone,
  isString,
  isUndefined,
  type RuntimeValue,
  text,
} from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";
import { printed } from "./value-text.ts";

/** Every binary operator but `and` and `or`. */
export function applyOperator(
  operator: string,
  left: RuntimeValue,
  right: RuntimeValue,
  dialect: TemplateDialect,
): RuntimeValue {
  switch (operator) {
    case "==":
      return claim(isEqual(left, right));
    case "!=":
      return claim(!isEqual(left, right));
    case "in":
      return claim(isContained(left, right, dialect));
    case "not in":
      return claim(!isContained(left, right, dialect));
    case "~":
      return text(joined(left, dialect) + joined(right, dialect));
    case "<":
    case ">":
    case "<=":
    case ">=":
      return claim(isOrdered(operator, left, right));
    default:
      return arithmetic(operator, left, right);
  }
}

/** Python's `==` of JSON-like values. */
export function isEqual(left: RuntimeValue, right: RuntimeValue): boolean {
  if (left instanceof BigIntegerValue || right instanceof BigIntegerValue) {
    throw new UnsupportedTemplateError("comparing a large integer");
  }
  if (isNumber(left) && isNumber(right)) return Number(left.value) === Number(right.value);
  if (isArray(left) && isArray(right)) {
    return left.value.length === right.value.length && left.value.every((item, at) => isSame(item, right.value[at]));
  }
  if (isMapping(left) && isMapping(right)) {
    return (
      left.value.size === right.value.size &&
      [...left.value].every(([key, member]) => isSame(member, right.value.get(key)))
    );
  }
  return left.type === right.type && left.value === right.value;
}

function isSame(left: RuntimeValue, right: RuntimeValue | undefined): boolean {
  return right !== undefined && isEqual(left, right);
}

function isNumber(value: RuntimeValue): boolean {
  return isInteger(value) || isFloat(value) || isBoolean(value);
}

function isContained(item: RuntimeValue, container: RuntimeValue, dialect: TemplateDialect): boolean {
  if (isArray(container)) return container.value.some((member) => isEqual(item, member));
  if (isMapping(container)) return isString(item) && container.value.has(item.value);
  if (isString(container) && isString(item)) return container.value.includes(item.value);
  // An undefined container is empty to jinja2, and an error to minijinja (dynamo@1.6.1, observed).
  if (isUndefined(container) && dialect === "huggingface") return false;
  if (isUndefined(container) || isNone(container)) throw new TemplateRefusal();
  throw new UnsupportedTemplateError(`in of ${item.type} and ${container.type}`);
}

/** minijinja spells what is not a string in its own way here. */
function joined(value: RuntimeValue, dialect: TemplateDialect): string {
  if (dialect === "huggingface" || isString(value) || isInteger(value) || isUndefined(value))
    return printed(value, dialect);
  throw new UnsupportedTemplateError(`~ of ${value.type}`);
}

function isOrdered(operator: string, left: RuntimeValue, right: RuntimeValue): boolean {
  if (left instanceof BigIntegerValue || right instanceof BigIntegerValue || !isNumber(left) || !isNumber(right)) {
    throw new UnsupportedTemplateError(`${operator} of ${left.type} and ${right.type}`);
  }
  const difference = Number(left.value) - Number(right.value);
  if (operator === "<") return difference < 0;
  if (operator === ">") return difference > 0;
  return operator === "<=" ? difference <= 0 : difference >= 0;
}

function arithmetic(operator: string, left: RuntimeValue, right: RuntimeValue): RuntimeValue {
  if (operator === "+" && (isString(left) || isString(right))) {
    // `str` + anything else is a TypeError in Python and an error in minijinja.
    if (!isString(left) || !isString(right)) throw new TemplateRefusal();
    return text(left.value + right.value);
  }
  if (operator === "+" && isArray(left) && isArray(right)) return new ArrayValue([...left.value, ...right.value]);
  if ((isInteger(left) || isFloat(left)) && (isInteger(right) || isFloat(right))) {
    return calculated(operator, left.value, right.value, isInteger(left) && isInteger(right));
  }
  throw new UnsupportedTemplateError(`${operator} of ${left.type} and ${right.type}`);
}

function calculated(operator: string, left: number, right: number, isExact: boolean): RuntimeValue {
  const result = arithmeticResult(operator, left, right);
  if (!isExact || operator === "/") return new FloatValue(result);
  if (!Number.isSafeInteger(result)) throw new UnsupportedTemplateError("a large integer");
  return new IntegerValue(result);
}

function arithmeticResult(operator: string, left: number, right: number): number {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (right <= 0) throw new UnsupportedTemplateError(`${operator} by zero or less`);
  if (operator === "/") return left / right;
  if (operator === "//") return Math.floor(left / right);
  if (operator === "%") return left - right * Math.floor(left / right);
  throw new UnsupportedTemplateError(`operator ${operator}`);
}
