import { characters } from "../python/code-points.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";
import { DictValue } from "./dict-value.ts";
import { NamespaceValue } from "./namespace-value.ts";
import {
  FloatValue,
  IteratorValue,
  isSequence,
  isText,
  LoopValue,
  SequenceValue,
  textOf,
  type Value,
} from "./value.ts";

/** What Python goes through: nothing for jinja2's undefined. */
export function pythonIterate(value: Value): readonly Value[] {
  if (value instanceof SequenceValue) return value.items;
  if (value instanceof IteratorValue) return drain(value);
  return iterateCommon(value);
}

/** What minijinja goes through: nothing for None, too. */
export function minijinjaIterate(value: Value): readonly Value[] {
  return value === null ? [] : iterateCommon(value);
}

function iterateCommon(value: Value): readonly Value[] {
  if (isSequence(value)) return value.items;
  if (value instanceof DictValue) return value.keys();
  if (value === undefined) return [];
  if (isText(value)) return characters(textOf(value));
  if (value instanceof LoopValue || value instanceof NamespaceValue)
    throw new UnsupportedTemplateError("going through a loop or namespace");
  throw new TemplateRefusal();
}

function drain({ source }: IteratorValue): readonly Value[] {
  const items: Value[] = [];
  for (let step = source.next(); step.done !== true; step = source.next()) {
    spend(4);
    items.push(step.value);
  }
  return items;
}

/** Python's truth; minijinja's is the same. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value !== "";
    case "undefined":
      return false;
    case "number":
      return value !== 0;
    case "bigint":
      return true;
    default:
      return value !== null && isTrueObject(value);
  }
}

function isTrueObject(value: object): boolean {
  if (value instanceof DictValue) return value.size > 0;
  if (value instanceof SequenceValue) return value.items.length > 0;
  if (value instanceof FloatValue) return value.value !== 0;
  return !("text" in value) || value.text !== "";
}
