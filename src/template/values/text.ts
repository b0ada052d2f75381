import { floatText, rustFloatDebug, rustFloatText } from "../python/float.ts";
import { pythonQuote, rustQuote } from "../python/quote.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";
import { DictValue } from "./dict-value.ts";
import { NamespaceValue } from "./namespace-value.ts";
import {
  CallableValue,
  FloatValue,
  isInteger,
  isSequence,
  isText,
  LoopValue,
  MarkupValue,
  type SequenceValue,
  textOf,
  type Value,
} from "./value.ts";

/** Python's `str`. */
export function pythonText(value: Value): string {
  if (isText(value)) return textOf(value);
  return value === undefined ? "" : pythonRepr(value);
}

/** Python's `repr`. */
export function pythonRepr(value: Value): string {
  if (typeof value === "string") {
    spend(value.length / 2);
    return pythonQuote(value);
  }
  if (value instanceof MarkupValue) return `Markup(${pythonQuote(value.text)})`;
  if (value === undefined) return "Undefined";
  if (value instanceof FloatValue) return floatText(value.value);
  if (value instanceof DictValue) return dictText(value, pythonRepr);
  if (isSequence(value)) return sequenceRepr(value);
  return value instanceof NamespaceValue || value instanceof LoopValue || value instanceof CallableValue
    ? objectRepr(value)
    : scalarText(value);
}

/** What jinja2 says of its own objects. */
function objectRepr(value: NamespaceValue | LoopValue | CallableValue): string {
  if (value instanceof NamespaceValue) return `<Namespace ${dictText(DictValue.of(value.entries()), pythonRepr)}>`;
  if (value instanceof LoopValue) return `<LoopContext ${value.at + 1}/${value.items.length}>`;
  if (value.macroName === undefined) throw new UnsupportedTemplateError("printing a function");
  return `<Macro ${value.macroName === "" ? "anonymous" : pythonQuote(value.macroName)}>`;
}

function sequenceRepr(value: SequenceValue): string {
  spend(value.items.length * 4);
  if (value.type === "view") return `${value.text}([${value.items.map(pythonRepr).join(", ")}])`;
  if (value.text !== undefined) return value.text;
  const items = value.items.map(pythonRepr);
  if (value.type === "list") return `[${items.join(", ")}]`;
  if (value.type !== "tuple") throw new UnsupportedTemplateError(`printing a ${value.type}`);
  return items.length === 1 ? `(${items[0]},)` : `(${items.join(", ")})`;
}

/** minijinja's printing, as in `~` and `join`. */
export function minijinjaText(value: Value): string {
  if (isText(value)) return textOf(value);
  if (value === undefined) return "";
  return value instanceof FloatValue ? rustFloatText(value.value) : minijinjaDebug(value);
}

/** minijinja's form inside of lists and maps. */
function minijinjaDebug(value: Value): string {
  if (isText(value)) {
    spend(textOf(value).length / 2);
    return rustQuote(textOf(value));
  }
  if (value === undefined) return "undefined";
  if (value instanceof FloatValue) return rustFloatDebug(value.value);
  if (value instanceof DictValue) return dictText(value, minijinjaDebug);
  if (isSequence(value)) {
    spend(value.items.length * 4);
    return `[${value.items.map(minijinjaDebug).join(", ")}]`;
  }
  return scalarText(value);
}

/** What Dynamo's frontend prints for `{{ value }}`: floats as Python does, the rest as minijinja. */
export function dynamoText(value: Value): string {
  return value instanceof FloatValue ? floatText(value.value) : minijinjaText(value);
}

function dictText(dict: DictValue, represent: (value: Value) => string): string {
  return `{${dict
    .entries()
    .map(([key, member]) => `${represent(key)}: ${represent(member)}`)
    .join(", ")}}`;
}

function scalarText(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (isInteger(value)) return String(value);
  // Python prints addresses here.
  throw new UnsupportedTemplateError("printing a function, a loop or a namespace");
}

/** The texts of values behind each other. Sums share what they are made of, so that a text that grows is not copied each time. */
export function joinedTexts(values: readonly Value[], text: (value: Value) => string): string {
  let joined = "";
  for (const value of values) joined += text(value);
  return joined;
}
