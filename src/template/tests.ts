import type { TemplateDialect } from "./dialect.ts";
import {
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

type Test = (value: RuntimeValue, dialect: TemplateDialect) => boolean;

/** A bool is an int in Python; minijinja keeps them apart. */
const isNumeric: Test = (value, dialect) =>
  isInteger(value) || isFloat(value) || (dialect === "huggingface" && isBoolean(value));

/** Python's test asks for `len` and `[]`, which strings and dicts have; minijinja's for a list. */
const isSequence: Test = (value, dialect) =>
  isArray(value) || (dialect === "huggingface" && (isString(value) || isMapping(value)));

const isIterable: Test = (value, dialect) =>
  isArray(value) ||
  isString(value) ||
  isMapping(value) ||
  isUndefined(value) ||
  (isNone(value) && dialect === "dynamo");

const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", (value) => !isUndefined(value)],
  ["undefined", isUndefined],
  ["none", isNone],
  ["string", isString],
  ["number", isNumeric],
  ["integer", isInteger],
  ["float", isFloat],
  ["boolean", isBoolean],
  ["true", (value) => isBoolean(value) && value.value],
  ["false", (value) => isBoolean(value) && !value.value],
  ["mapping", isMapping],
  ["sequence", isSequence],
  ["iterable", isIterable],
  ["odd", (value) => remainder(value) === 1],
  ["even", (value) => remainder(value) === 0],
]);

/** `value is name`, without the `not`. */
export function applyTest(value: RuntimeValue, name: string, dialect: TemplateDialect): boolean {
  const test = tests.get(name);
  if (test === undefined) throw new UnsupportedTemplateError(`test ${name}`);
  return test(value, dialect);
}

function remainder(value: RuntimeValue): number {
  if (!isInteger(value) || !Number.isSafeInteger(value.value)) throw new UnsupportedTemplateError("odd or even");
  return Math.abs(value.value % 2);
}
