import type { TemplateDialect } from "./dialect.ts";
import { floatText } from "./python-text.ts";
import {
  BigIntegerValue,
  GeneratorValue,
  isArray,
  isBoolean,
  isFloat,
  isInteger,
  isMapping,
  isNone,
  isString,
  isUndefined,
  type RuntimeValue,
} from "./runtime-values.ts";
import { UnsupportedTemplateError } from "./template-errors.ts";

/** The value as `{{ value }}` prints it: Python's `str`. */
export function printed(value: RuntimeValue, dialect: TemplateDialect): string {
  if (isString(value)) return value.value;
  if (isUndefined(value)) return "";
  return represented(value, dialect);
}

/** The value inside a container: Python's `repr`, or minijinja's form with double quotes. */
function represented(value: RuntimeValue, dialect: TemplateDialect): string {
  if (isString(value)) return quoted(value.value, dialect);
  if (isInteger(value)) return integerText(value);
  if (isFloat(value)) return floatText(value.value);
  if (isBoolean(value)) return value.value ? "True" : "False";
  if (isNone(value)) return "None";
  if (isMapping(value)) {
    const members = [...value.value].map(([key, member]) => `${quoted(key, dialect)}: ${represented(member, dialect)}`);
    return `{${members.join(", ")}}`;
  }
  if (isArray(value) && value.type === "ArrayValue" && !(value instanceof GeneratorValue)) {
    return `[${value.value.map((item) => represented(item, dialect)).join(", ")}]`;
  }
  throw new UnsupportedTemplateError(`printing a ${value.type}`);
}

/** Digits of an integer. */
export function integerText(value: RuntimeValue): string {
  return value instanceof BigIntegerValue ? value.digits : String(value.value);
}

const plain = /^[\x20-\x7e\n\r\t]*$/;

function quoted(value: string, dialect: TemplateDialect): string {
  // Which other characters are escaped is a matter of Unicode tables on one side and of Rust's on the other.
  if (!plain.test(value) && !isPrintableLetters(value))
    throw new UnsupportedTemplateError("quoting unusual characters");
  if (dialect === "dynamo") return `"${escaped(value).replaceAll('"', '\\"')}"`;
  const isDoubleQuoted = value.includes("'") && !value.includes('"');
  if (isDoubleQuoted) return `"${escaped(value)}"`;
  return `'${escaped(value).replaceAll("'", "\\'")}'`;
}

/** Letters, digits and punctuation of any script are printed as they are by both. */
function isPrintableLetters(value: string): boolean {
  return /^[\x20-\x7e\n\r\t\p{L}\p{Nd}\p{P}]*$/u.test(value);
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
}
