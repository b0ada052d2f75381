import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";
import { DictValue } from "./dict-value.ts";
import {
  CallableValue,
  FloatValue,
  isNumber,
  isSequence,
  isText,
  type SequenceValue,
  textOf,
  type Value,
} from "./value.ts";

/** A number, or a bool as the number it is in Python, for JavaScript's own comparison, which is exact across types. */
export function numeric(value: Value): number | bigint | undefined {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof FloatValue) return value.value;
  return typeof value === "number" || typeof value === "bigint" ? value : undefined;
}

/** Python's `==`. */
export function pythonEquals(left: Value, right: Value): boolean {
  return isEqual(left, right, (a, b) => a.type === b.type);
}

/** minijinja's `==`: all lists are alike. */
export function minijinjaEquals(left: Value, right: Value): boolean {
  return isEqual(left, right, () => true);
}

type Alike = (left: SequenceValue, right: SequenceValue) => boolean;

function isEqual(left: Value, right: Value, alike: Alike): boolean {
  if (isText(left)) return isText(right) && areTextsEqual(textOf(left), textOf(right));
  if (left === right) return true;
  const number = numeric(left);
  if (number !== undefined) {
    const other = numeric(right);
    // biome-ignore lint/suspicious/noDoubleEquals: exact between number and bigint
    return other !== undefined && number == other;
  }
  if (isSequence(left)) return isSequence(right) && alike(left, right) && areItemsEqual(left, right, alike);
  if (left instanceof DictValue) return right instanceof DictValue && isDictEqual(left, right, alike);
  if (left instanceof CallableValue && right instanceof CallableValue)
    throw new UnsupportedTemplateError("comparing functions");
  return false;
}

function areTextsEqual(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  if (left.length > 1_000) spend(left.length / 16);
  return left === right;
}

function areItemsEqual(left: SequenceValue, right: SequenceValue, alike: Alike): boolean {
  if (left.type === "view") throw new UnsupportedTemplateError("comparing a view");
  const { items } = left;
  spend(items.length);
  return items.length === right.items.length && items.every((item, at) => isEqual(item, right.items[at], alike));
}

function isDictEqual(left: DictValue, right: DictValue, alike: Alike): boolean {
  if (left.size !== right.size) return false;
  return left.entries().every(([key, member]) => {
    const other = right.entryOf(key);
    return other !== undefined && isEqual(member, other[1], alike);
  });
}

/** Order by code points; negative when the left one comes first. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  spend(length / 8);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    // Surrogates stand for code points above all others.
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/**
 * Python's order; 0 for equal ones.
 * @throws TemplateRefusal for values that have none
 */
export function pythonCompare(left: Value, right: Value): number {
  if (isText(left) && isText(right)) return compareText(textOf(left), textOf(right));
  const a = numeric(left);
  const b = numeric(right);
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0;
  const areSequences = isSequence(left) && isSequence(right) && left.type === right.type;
  if (!areSequences || (left.type !== "list" && left.type !== "tuple")) throw new TemplateRefusal();
  return compareItems(left.items, right.items, pythonCompare, pythonEquals);
}

function compareItems(
  left: readonly Value[],
  right: readonly Value[],
  compare: (left: Value, right: Value) => number,
  equals: (left: Value, right: Value) => boolean,
): number {
  spend(left.length * 2);
  const at = left.findIndex((item, place) => place >= right.length || !equals(item, right[place]));
  if (at === -1) return left.length - right.length;
  return at >= right.length ? 1 : compare(left[at], right[at]);
}

/** minijinja's order, which is total: by kind first (minijinja@2.24.0 value/mod.rs `Ord`). */
export function minijinjaCompare(left: Value, right: Value): number {
  const byKind = kindRank(left) - kindRank(right);
  if (byKind !== 0 || left === undefined || left === null) return byKind;
  if (isText(left) && isText(right)) return compareText(textOf(left), textOf(right));
  const a = numeric(left);
  const b = numeric(right);
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : 0;
  if (!isSequence(left) || !isSequence(right)) throw new UnsupportedTemplateError("the order of maps");
  return compareItems(left.items, right.items, minijinjaCompare, minijinjaEquals);
}

function kindRank(value: Value): number {
  if (value === undefined) return 0;
  if (value === null) return 1;
  if (typeof value === "boolean") return 2;
  if (isNumber(value)) return 3;
  if (isText(value)) return 4;
  if (isSequence(value)) return value.type === "iterable" ? 8 : 6;
  return value instanceof DictValue ? 7 : 9;
}
