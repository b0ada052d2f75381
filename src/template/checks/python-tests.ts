import type { Test } from "../dialect/dialect.ts";
import { formatPercent } from "../python/percent-format.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { numeric, pythonCompare, pythonEquals } from "../values/compare.ts";
import { pythonContains } from "../values/contains.ts";
import { DictValue } from "../values/dict-value.ts";
import { pythonText } from "../values/text.ts";
import {
  type CallArguments,
  CallableValue,
  FloatValue,
  IteratorValue,
  isInteger,
  isSequence,
  isText,
  MarkupValue,
  ObjectValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { spend } from "../work.ts";

function check(ofValue: (value: Value) => boolean): Test {
  const test: Test = (value, { positional, named }) => {
    if (positional.length + named.size > 0) throw new TemplateRefusal();
    return ofValue(value);
  };
  return Object.assign(test, { ofValue });
}

function relation(holds: (left: Value, right: Value) => boolean): Test {
  return (value, { positional, named }) => {
    if (positional.length !== 1 || named.size > 0) throw new TemplateRefusal();
    return holds(value, positional[0]);
  };
}

/** Tests of jinja2@3.1.6 tests.py. */
export const pythonTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", check((value) => value !== undefined)],
  ["undefined", check((value) => value === undefined)],
  ["none", check((value) => value === null)],
  ["string", check(isText)],
  ["number", check((value) => numeric(value) !== undefined)],
  ["integer", check(isInteger)],
  ["float", check((value) => value instanceof FloatValue)],
  ["boolean", check((value) => typeof value === "boolean")],
  ["true", check((value) => value === true)],
  ["false", check((value) => value === false)],
  ["mapping", check((value) => value instanceof DictValue)],
  ["sequence", check(isSequenceLike)],
  ["iterable", check((value) => isSequenceLike(value) || isSequence(value) || value instanceof IteratorValue)],
  ["callable", check(isCallable)],
  ["odd", check((value) => leaves(value, 2, 1))],
  ["even", check((value) => leaves(value, 2, 0))],
  ["lower", check((value) => isCase(value, /^[^A-Z]*[a-z][^A-Z]*$/))],
  ["upper", check((value) => isCase(value, /^[^a-z]*[A-Z][^a-z]*$/))],
  ["escaped", check((value) => value instanceof MarkupValue)],
  ["divisibleby", relation((value, by) => leaves(value, by, 0))],
  ["sameas", relation(isSame)],
  ["in", relation((item, container) => pythonContains(container, item))],
  ["filter", (value, args, { render }) => isNameIn(value, args, render.dialect.filters)],
  ["test", (value, args, { render }) => isNameIn(value, args, render.dialect.tests)],
  ...names(["eq", "==", "equalto"], relation(pythonEquals)),
  ...names(
    ["ne", "!="],
    relation((left, right) => !pythonEquals(left, right)),
  ),
  ...names(
    ["lt", "<", "lessthan"],
    relation((left, right) => pythonCompare(left, right) < 0),
  ),
  ...names(
    ["le", "<="],
    relation((left, right) => pythonCompare(left, right) <= 0),
  ),
  ...names(
    ["gt", ">", "greaterthan"],
    relation((left, right) => pythonCompare(left, right) > 0),
  ),
  ...names(
    ["ge", ">="],
    relation((left, right) => pythonCompare(left, right) >= 0),
  ),
]);

function names(all: readonly string[], test: Test): readonly (readonly [string, Test])[] {
  return all.map((name) => [name, test] as const);
}

/** Whether a division leaves the rest. A text is formatted instead, and what comes out is no number. */
function leaves(value: Value, by: Value, rest: number): boolean {
  if (typeof value !== "string") return remainder(value, by) === rest;
  formatPercent(value, by);
  return false;
}

function isNameIn(value: Value, args: CallArguments, names: ReadonlyMap<string, unknown>): boolean {
  if (args.positional.length + args.named.size > 0) throw new TemplateRefusal();
  const isHashable =
    !(value instanceof DictValue) && !(isSequence(value) && (value.type === "list" || value.type === "view"));
  if (!isHashable) throw new TemplateRefusal();
  return isText(value) && names.has(textOf(value));
}

/** Has a length, and members by place or key. */
function isSequenceLike(value: Value): boolean {
  if (isSequence(value)) return value.type !== "view";
  return value === undefined || isText(value) || value instanceof DictValue;
}

function isCallable(value: Value): boolean {
  if (value === undefined) return true;
  return value instanceof CallableValue || (value instanceof ObjectValue && value.call !== undefined);
}

function remainder(value: Value, by: Value): number {
  const number = numeric(value);
  const divisor = numeric(by);
  // biome-ignore lint/suspicious/noDoubleEquals: 0 or 0n
  if (number === undefined || divisor === undefined || divisor == 0) throw new TemplateRefusal();
  if (typeof number === "bigint" && typeof divisor === "number" && Number.isSafeInteger(divisor)) {
    return Math.abs(Number(number % BigInt(divisor)));
  }
  if (typeof number === "bigint" || typeof divisor === "bigint")
    throw new UnsupportedTemplateError("the remainder of this");
  return Math.abs(Number(number) % Number(divisor));
}

function isCase(value: Value, pattern: RegExp): boolean {
  const text = pythonText(value);
  spend(text.length);
  if (/\P{ASCII}/u.test(text)) throw new UnsupportedTemplateError("case beyond ASCII");
  return pattern.test(text);
}

function isSame(left: Value, right: Value): boolean {
  // Every look-up of a missing name makes another undefined value.
  const isPlain = [left, right].every((value) => value === null || typeof value === "boolean");
  if (left === undefined && right === undefined) throw new UnsupportedTemplateError("identity of undefined values");
  if (isSequence(left) && left.isConstant) throw new UnsupportedTemplateError("identity of constants");
  if (!isPlain && left !== right && typeof left === typeof right)
    throw new UnsupportedTemplateError("identity of objects");
  return left === right;
}
