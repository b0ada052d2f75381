import type { Frame } from "../compile/frame.ts";
import type { Filter } from "../dialect/dialect.ts";
import { replaced } from "../methods/python-strings.ts";
import { lengthOf } from "../python/code-points.ts";
import { capitalize, titleWords } from "../python/letters.ts";
import { formatPercent } from "../python/percent-format.ts";
import { strip } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue } from "../values/iterate.ts";
import type { NamedValues } from "../values/named-values.ts";
import { pythonText } from "../values/text.ts";
import { IteratorValue, isText, MarkupValue, SequenceValue, textOf, type Value } from "../values/value.ts";
import { escapeHtml } from "./escape-html.ts";
import { indented } from "./indent.ts";
import { pythonJson } from "./python-json.ts";
import { pythonListFilters } from "./python-lists.ts";
import { pythonNumberFilters } from "./python-numbers.ts";
import { pythonProseFilters } from "./python-prose.ts";

type BoundFilter = (value: Value, args: BoundArguments, frame: Frame) => Value;

function filter(names: readonly string[], required: number, run: BoundFilter): Filter {
  return (value, args, frame) => run(value, new BoundArguments(args, names, required), frame);
}

/** A filter of text, which keeps the mark of text that is marked; everything else is printed first. */
function ofText(
  names: readonly string[],
  required: number,
  run: (text: string, args: BoundArguments, frame: Frame) => string,
): Filter {
  return filter(names, required, (value, args, frame) => {
    const text = pythonText(value);
    frame.render.spend(text.length / 16);
    const result = run(text, args, frame);
    return value instanceof MarkupValue ? new MarkupValue(result) : result;
  });
}

/** Filters of jinja2@3.1.6, with transformers' `tojson`. */
export const pythonFilters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...pythonListFilters,
  ...pythonNumberFilters,
  ...pythonProseFilters,
  ["tojson", pythonJson],
  ["length", filter([], 0, length)],
  ["count", filter([], 0, length)],
  ["trim", ofText(["chars"], 0, (text, args) => strip(text, args.text("chars")))],
  ["string", filter([], 0, (value) => (isText(value) ? value : pythonText(value)))],
  ["safe", filter([], 0, (value) => new MarkupValue(pythonText(value)))],
  ["escape", filter([], 0, escaped)],
  ["e", filter([], 0, escaped)],
  ["default", filter(["default_value", "boolean"], 0, orElse)],
  ["d", filter(["default_value", "boolean"], 0, orElse)],
  ["upper", ofText([], 0, (text) => text.toUpperCase())],
  ["lower", ofText([], 0, (text) => text.toLowerCase())],
  ["title", ofText([], 0, titleWords)],
  ["capitalize", ofText([], 0, capitalize)],
  ["replace", filter(["old", "new", "count"], 2, replace)],
  ["indent", filter(["width", "first", "blank"], 0, indentFilter)],
  ["items", filter([], 0, items)],
  ["attr", filter(["name"], 1, attribute)],
  ["format", (value, args) => format(value, args.positional, args.named)],
  ["random", unknown("random")],
]);

function unknown(name: string): Filter {
  return () => {
    throw new UnsupportedTemplateError(`filter ${name}`);
  };
}

function length(value: Value): Value {
  if (value === undefined) return 0;
  if (value instanceof SequenceValue) return value.items.length;
  if (value instanceof DictValue) return value.size;
  if (isText(value)) return lengthOf(textOf(value));
  throw new TemplateRefusal();
}

function escaped(value: Value): Value {
  return value instanceof MarkupValue ? value : new MarkupValue(escapeHtml(pythonText(value)));
}

function orElse(value: Value, args: BoundArguments): Value {
  const fallback = args.has("default_value") ? args.get("default_value") : "";
  return value === undefined || (isTrue(args.get("boolean")) && !isTrue(value)) ? fallback : value;
}

function replace(value: Value, args: BoundArguments, frame: Frame): Value {
  const old = pythonText(args.get("old"));
  return replaced(pythonText(value), old, pythonText(args.get("new")), args.integer("count", -1), frame);
}

function indentFilter(value: Value, args: BoundArguments, frame: Frame): Value {
  if (!isText(value)) throw new TemplateRefusal();
  const text = indent(textOf(value), args, frame);
  return value instanceof MarkupValue ? new MarkupValue(text) : text;
}

function indent(text: string, args: BoundArguments, frame: Frame): string {
  const width = args.get("width");
  const by = isText(width) ? textOf(width) : " ".repeat(Math.min(args.integer("width", 4), 10_000));
  frame.render.checkLength(text.split("\n").length * by.length);
  return indented(text, by, isTrue(args.get("first")), isTrue(args.get("blank")));
}

function items(value: Value): Value {
  return new IteratorValue(itemsOf(value));
}

/** Nothing is refused before it is gone through. */
function* itemsOf(value: Value): Iterable<Value> {
  if (value === undefined) return;
  if (!(value instanceof DictValue)) throw new TemplateRefusal();
  for (const entry of value.entries()) yield new SequenceValue("tuple", entry);
}

/** Python's attributes only: what is a dict's member is none. */
function attribute(value: Value, args: BoundArguments, { render }: Frame): Value {
  if (value instanceof DictValue) throw new UnsupportedTemplateError("an attribute of a dict");
  return render.dialect.attribute(value, args.requiredText("name"));
}

function format(value: Value, positional: readonly Value[], named: NamedValues): Value {
  if (value instanceof MarkupValue) throw new UnsupportedTemplateError("formatting markup");
  if (positional.length > 0 && named.size > 0) throw new TemplateRefusal();
  return formatPercent(
    pythonText(value),
    named.size > 0 ? DictValue.of(named) : new SequenceValue("tuple", positional),
  );
}
