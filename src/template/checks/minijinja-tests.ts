import type { Test } from "../dialect/dialect.ts";
import { refuseUnknownLetters } from "../methods/cases.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { flatArguments } from "../values/arguments.ts";
import { minijinjaCompare, minijinjaEquals, numeric } from "../values/compare.ts";
import { minijinjaContains } from "../values/contains.ts";
import { DictValue } from "../values/dict-value.ts";
import { minijinjaText } from "../values/text.ts";
import {
  type CallArguments,
  FloatValue,
  isInteger,
  isNumber,
  isSequence,
  isText,
  LoopValue,
  MarkupValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { spend } from "../work.ts";

function check(ofValue: (value: Value) => boolean): Test {
  const test: Test = (value, args) => {
    if (flatArguments(args).length > 0) throw new TemplateRefusal();
    return ofValue(value);
  };
  return Object.assign(test, { ofValue });
}

function relation(holds: (left: Value, right: Value) => boolean): Test {
  return (value, args) => {
    const flat = flatArguments(args);
    if (flat.length !== 1) throw new TemplateRefusal();
    return holds(value, flat[0]);
  };
}

/** Tests of minijinja@2.24.0 tests.rs. */
export const minijinjaTests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ["defined", check((value) => value !== undefined)],
  ["undefined", check((value) => value === undefined)],
  ["none", check((value) => value === null)],
  ["string", check(isText)],
  ["number", check(isNumber)],
  ...named(["integer", "int"], check(isInteger)),
  ["float", check((value) => value instanceof FloatValue)],
  ["boolean", check((value) => typeof value === "boolean")],
  ["true", check((value) => value === true)],
  ["false", check((value) => value === false)],
  ["mapping", check((value) => value instanceof DictValue || value instanceof LoopValue)],
  ["sequence", check((value) => isSequence(value) && value.type !== "iterable")],
  [
    "iterable",
    check(
      (value) =>
        value === undefined || value === null || isText(value) || isSequence(value) || value instanceof DictValue,
    ),
  ],
  ["odd", check((value) => remainder(value, 2) === 1)],
  ["even", check((value) => remainder(value, 2) === 0)],
  ["lower", check((value) => isCase(value, /^\p{Lowercase}*$/u))],
  ["upper", check((value) => isCase(value, /^\p{Uppercase}*$/u))],
  ...named(
    ["safe", "escaped"],
    check((value) => value instanceof MarkupValue),
  ),
  ["divisibleby", relation((value, by) => remainder(value, by) === 0)],
  ["startingwith", relation((value, start) => minijinjaText(value).startsWith(minijinjaText(start)))],
  ["endingwith", relation((value, end) => minijinjaText(value).endsWith(minijinjaText(end)))],
  ["in", relation(isIn)],
  ...named(["eq", "==", "equalto"], relation(minijinjaEquals)),
  ...named(
    ["ne", "!="],
    relation((left, right) => !minijinjaEquals(left, right)),
  ),
  ...named(
    ["lt", "<", "lessthan"],
    relation((left, right) => minijinjaCompare(left, right) < 0),
  ),
  ...named(
    ["le", "<="],
    relation((left, right) => minijinjaCompare(left, right) <= 0),
  ),
  ...named(
    ["gt", ">", "greaterthan"],
    relation((left, right) => minijinjaCompare(left, right) > 0),
  ),
  ...named(
    ["ge", ">="],
    relation((left, right) => minijinjaCompare(left, right) >= 0),
  ),
  ["filter", (value, args, { render }) => isNameIn(value, args, render.dialect.filters)],
  ["test", (value, args, { render }) => isNameIn(value, args, render.dialect.tests)],
  ["sameas", relation(isSame)],
]);

function named(all: readonly string[], test: Test): readonly (readonly [string, Test])[] {
  return all.map((name) => [name, test] as const);
}

/** Undefined for what has none. */
function remainder(value: Value, by: Value): number | undefined {
  const number = numeric(value);
  const divisor = numeric(by);
  if (number === undefined || divisor === undefined) return undefined;
  if (divisor === 0 || !Number.isSafeInteger(Number(number)))
    throw new UnsupportedTemplateError("the remainder of this");
  return Math.abs(Number(number) % Number(divisor));
}

function isNameIn(value: Value, args: CallArguments, names: ReadonlyMap<string, unknown>): boolean {
  if (flatArguments(args).length > 0 || !isText(value)) throw new TemplateRefusal();
  return names.has(textOf(value));
}

function isCase(value: Value, pattern: RegExp): boolean {
  if (!isText(value)) throw new TemplateRefusal();
  spend(2 * textOf(value).length);
  refuseUnknownLetters(textOf(value));
  return pattern.test(textOf(value));
}

function isIn(item: Value, container: Value): boolean {
  if (container === null || isNumber(container) || typeof container === "boolean") return false;
  return minijinjaContains(container, item);
}

function isSame(left: Value, right: Value): boolean {
  const isObject = [left, right].some((value) => isSequence(value) || value instanceof DictValue);
  if (isSequence(left) && left.isConstant) throw new UnsupportedTemplateError("identity of constants");
  if (isObject && left !== right) throw new UnsupportedTemplateError("identity of objects");
  return (
    left === right ||
    (typeof left === typeof right && isInteger(left) === isInteger(right) && minijinjaEquals(left, right))
  );
}
