import { callValue } from "../compile/calls.ts";
import type { Frame } from "../compile/frame.ts";
import { escapeHtml } from "../filters/escape-html.ts";
import { pythonStringMethods, type StringMethod } from "../methods/python-strings.ts";
import { characterAt } from "../python/code-points.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments, smallInteger } from "./arguments.ts";
import { DictValue } from "./dict-value.ts";
import { loopMember } from "./loop-members.ts";
import { NamespaceValue } from "./namespace-value.ts";
import { sliceItems, sliceText } from "./slices.ts";
import { pythonText } from "./text.ts";
import {
  type CallArguments,
  CallableValue,
  GroupValue,
  isNumber,
  isText,
  LoopValue,
  MarkupValue,
  ObjectValue,
  SequenceValue,
  textOf,
  type Value,
  type ViewName,
} from "./value.ts";

/** Attributes of Python's types: they hide a dict's members of that name from `dict.name`. */
const dictNames = new Set([
  "clear",
  "copy",
  "fromkeys",
  "get",
  "items",
  "keys",
  "pop",
  "popitem",
  "setdefault",
  "update",
  "values",
]);
/** Those of Python's objects and of its dicts that begin with two underscores. */
const ownNames = new Set(
  "class class_getitem contains delattr delitem dir doc eq format ge getattribute getitem getstate gt hash init init_subclass ior iter le len lt ne new or reduce reduce_ex repr reversed ror setattr setitem sizeof str subclasshook"
    .split(" ")
    .map((name) => `__${name}__`),
);
const macroNames = new Set(["name", "arguments", "caller", "catch_kwargs", "catch_varargs", "explicit_caller"]);
const listNames = new Set([
  "append",
  "clear",
  "copy",
  "count",
  "extend",
  "index",
  "insert",
  "pop",
  "remove",
  "reverse",
  "sort",
]);
const tupleNames = new Set(["count", "index"]);
const textNames = new Set(
  "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper zfill".split(
    " ",
  ),
);
const numberNames = new Set(
  "as_integer_ratio bit_count bit_length conjugate denominator from_bytes fromhex hex imag is_integer numerator real to_bytes".split(
    " ",
  ),
);
/** What jinja2's sandbox keeps a template from doing to lists and dicts. */
const changing = new Set([
  "append",
  "clear",
  "extend",
  "insert",
  "pop",
  "popitem",
  "remove",
  "reverse",
  "setdefault",
  "sort",
  "update",
]);

/** `object.name` in jinja2's sandbox: the attribute of Python's type, else the member. */
export function pythonAttribute(object: Value, name: string): Value {
  if (name.startsWith("__")) return ownAttribute(object, name);
  if (object instanceof DictValue && !dictNames.has(name)) return object.get(name);
  if (object instanceof LoopValue) return loopMember(object, name);
  if (object instanceof ObjectValue && !name.startsWith("_")) return object.member(name);
  if (object === undefined) throw new TemplateRefusal();
  if (object instanceof NamespaceValue) return object.get(name);
  if (object instanceof GroupValue && (name === "grouper" || name === "list")) return object[name];
  if (isAttribute(object, name)) return boundMethod(object, name);
  return undefined;
}

/** Whether neither Python nor its dicts have an attribute of that name. */
export function isOnlyPythonMember(name: string): boolean {
  return !name.startsWith("__") && !dictNames.has(name);
}

/** Names of Python's own are kept from templates, a dict's members of such a name with them. */
function ownAttribute(object: Value, name: string): Value {
  if (object === undefined && name !== "__class__") throw new TemplateRefusal();
  return object instanceof DictValue && !ownNames.has(name) ? object.get(name) : undefined;
}

function isAttribute(object: Value, name: string): boolean {
  if (object instanceof DictValue) return dictNames.has(name);
  if (object instanceof SequenceValue) return namesOf(object).has(name);
  if (isText(object)) return textNames.has(name);
  if (isNumber(object) || typeof object === "boolean") return numberNames.has(name);
  if (object instanceof CallableValue && macroNames.has(name))
    throw new UnsupportedTemplateError("an attribute of a macro");
  return false;
}

function namesOf({ type }: SequenceValue): ReadonlySet<string> {
  if (type === "list") return listNames;
  return type === "tuple" ? tupleNames : new Set(["mapping", "isdisjoint", "start", "stop", "step", "count", "index"]);
}

function boundMethod(object: Value, name: string): Value {
  return new CallableValue((args, frame) => pythonMethod(object, name, args, frame));
}

/** `object[key]`: the member, else the attribute of that name. */
export function pythonItem(object: Value, key: Value): Value {
  if (object === undefined) throw new TemplateRefusal();
  if (object instanceof DictValue) {
    const entry = isHashable(key) ? object.entryOf(key) : undefined;
    if (entry !== undefined) return entry[1];
  }
  const place = typeof key === "number" ? key : typeof key === "boolean" ? Number(key) : undefined;
  if (place !== undefined) return at(object, place);
  return isText(key) && !(object instanceof DictValue && !dictNames.has(textOf(key)))
    ? pythonAttribute(object, textOf(key))
    : undefined;
}

function isHashable(key: Value): boolean {
  return !(key instanceof DictValue) && !(key instanceof SequenceValue && key.type !== "tuple");
}

function at(object: Value, place: number): Value {
  if (object instanceof SequenceValue) return object.type === "view" ? undefined : object.items.at(place);
  if (!isText(object)) return undefined;
  const character = characterAt(textOf(object), place);
  return character !== undefined && object instanceof MarkupValue ? new MarkupValue(character) : character;
}

/** `object[start:stop:step]`. @throws TemplateRefusal for what Python cannot slice */
export function pythonSlice(object: Value, start: Value, stop: Value, step: Value): Value {
  const bounds = [start, stop, step].map((bound) => (bound === null ? undefined : smallInteger(bound)));
  if (bounds[2] === 0) throw new TemplateRefusal();
  if (isText(object)) {
    const text = sliceText(textOf(object), bounds);
    return object instanceof MarkupValue ? new MarkupValue(text) : text;
  }
  if (!(object instanceof SequenceValue) || object.type === "view") throw new TemplateRefusal();
  const items = sliceItems(object.items, bounds);
  return object.type === "range" ? slicedRange(object, items, bounds) : new SequenceValue(object.type, items);
}

/** A slice of a range is one: from the place of its first item, by so many of its steps. */
function slicedRange(range: SequenceValue, items: readonly Value[], bounds: readonly (number | undefined)[]): Value {
  const [start = 0, , step = 1] = rangeBounds(range);
  const length = range.items.length;
  const by = bounds[2] ?? 1;
  const [least, most] = by < 0 ? [-1, length - 1] : [0, length];
  const place = (bound: number | undefined, fallback: number) => {
    if (bound === undefined) return fallback;
    return Math.min(Math.max(bound < 0 ? bound + length : bound, least), most);
  };
  const from = start + place(bounds[0], by < 0 ? most : least) * step;
  const to = start + place(bounds[1], by < 0 ? least : most) * step;
  const text = `range(${from}, ${to}${step * by === 1 ? "" : `, ${step * by}`})`;
  return new SequenceValue("range", items, text);
}

function rangeBounds({ text }: SequenceValue): readonly number[] {
  return [...(text ?? "").matchAll(/-?\d+/g)].map(Number);
}

/** `object.name(...)`. */
export function pythonCallMethod(object: Value, name: string, args: CallArguments, frame: Frame): Value {
  if (typeof object === "string" && textNames.has(name)) return pythonMethod(object, name, args, frame);
  if (object instanceof DictValue && dictNames.has(name)) return pythonMethod(object, name, args, frame);
  return callValue(pythonAttribute(object, name), args, frame);
}

function pythonMethod(object: Value, name: string, args: CallArguments, frame: Frame): Value {
  if (isText(object)) return textMethod(object, name, args, frame);
  if (!(object instanceof DictValue)) {
    if (object instanceof SequenceValue && object.type === "list" && changing.has(name)) throw new TemplateRefusal();
    return sequenceMethod(object, name, args, frame);
  }
  switch (name) {
    case "get": {
      const bound = new BoundArguments(args, ["key/", "default/"], 1);
      const entry = object.entryOf(bound.get("key/"));
      return entry === undefined ? (bound.has("default/") ? bound.get("default/") : null) : entry[1];
    }
    case "items":
      return view("dict_items", () => object.entries().map((entry) => new SequenceValue("tuple", entry)));
    case "keys":
      return view("dict_keys", () => object.keys());
    case "values":
      return view("dict_values", () => object.entries().map(([, value]) => value));
    case "copy":
      return object;
    case "fromkeys":
      return fromKeys(args, frame);
    default:
      if (changing.has(name)) throw new TemplateRefusal();
      throw new UnsupportedTemplateError(`method ${name} of a dict`);
  }
}

/** `dict.fromkeys(...)`. */
export function fromKeys(args: CallArguments, frame: Frame): Value {
  const bound = new BoundArguments(args, ["iterable/", "value/"], 1);
  const value = bound.has("value/") ? bound.get("value/") : null;
  return DictValue.of(frame.render.dialect.iterate(bound.get("iterable/")).map((key) => [key, value] as const));
}

function view(name: ViewName, items: () => readonly Value[]): SequenceValue {
  return new SequenceValue("view", items, name);
}

function textMethod(object: string | MarkupValue, name: string, args: CallArguments, frame: Frame): Value {
  const method = pythonStringMethods.get(name);
  if (method === undefined) throw new UnsupportedTemplateError(`method ${name} of a string`);
  const text = textOf(object);
  frame.render.spend(text.length / 16);
  if (typeof object === "string") return method(text, args, frame);
  return markupMethod(text, name, method, args, frame);
}

/** Methods of markup whose result is text, but for these, is markup, too (markupsafe@3 Markup). */
const plainResults = /^(is|count$|find$|rfind$|index$|rindex$|startswith$|endswith$)/;
/** Places of arguments that are escaped. */
const escapedPlaces: Readonly<Record<string, number>> = { replace: 1, ljust: 1, rjust: 1, center: 1 };

function markupMethod(text: string, name: string, method: StringMethod, args: CallArguments, frame: Frame): Value {
  if (name === "format" || name === "format_map") throw new UnsupportedTemplateError(`method ${name} of markup`);
  if (plainResults.test(name)) return method(text, args, frame);
  const place = escapedPlaces[name];
  const positional = args.positional.map((value, at) =>
    at === place && typeof value === "string" ? escapeHtml(value) : value,
  );
  if (name === "join") return new MarkupValue(markupJoin(text, args, frame));
  const result = method(text, { positional, named: args.named }, frame);
  if (typeof result === "string") return new MarkupValue(result);
  return result instanceof SequenceValue ? result.mapped((item) => new MarkupValue(String(item))) : result;
}

function markupJoin(text: string, args: CallArguments, frame: Frame): string {
  const items = frame.render.dialect.iterate(new BoundArguments(args, ["iterable/"], 1).get("iterable/"));
  const texts = items.map((item) => (item instanceof MarkupValue ? item.text : escapeHtml(pythonText(item))));
  frame.render.checkLength(texts.reduce((sum, item) => sum + item.length + text.length, 0));
  return texts.join(text);
}

function sequenceMethod(object: Value, name: string, args: CallArguments, frame: Frame): Value {
  if (!(object instanceof SequenceValue)) throw new UnsupportedTemplateError(`method ${name}`);
  const { equals } = frame.render.dialect;
  const items = object.items;
  if (name === "copy" && object.type === "list") return object;
  const bound = new BoundArguments(args, ["value/", "start/", "stop/"], 1);
  const wanted = bound.get("value/");
  frame.render.spend(items.length);
  if (name === "count" && !bound.has("start/")) return items.filter((item) => equals(item, wanted)).length;
  if (name === "count") throw new TemplateRefusal();
  if (name !== "index") throw new UnsupportedTemplateError(`method ${name} of a list`);
  const within = (at: number) => Math.max(0, at < 0 ? at + items.length : at);
  const [from, to] = [within(bound.integer("start/", 0)), within(bound.integer("stop/", items.length))];
  const place = items.findIndex((item, at) => at >= from && at < to && equals(item, wanted));
  if (place === -1) throw new TemplateRefusal();
  return place;
}
