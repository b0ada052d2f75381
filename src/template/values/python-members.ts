import { callValue } from "../compile/calls.ts";
import type { Frame } from "../compile/frame.ts";
import { pythonStringMethods } from "../methods/python-strings.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments, smallInteger } from "./arguments.ts";
import { DictValue } from "./dict-value.ts";
import { loopMember } from "./loop-members.ts";
import { sliceItems, sliceText } from "./slices.ts";
import {
  type CallArguments,
  CallableValue,
  isNumber,
  isText,
  LoopValue,
  MarkupValue,
  NamespaceValue,
  SequenceValue,
  textOf,
  type Value,
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
  if (object instanceof DictValue && !dictNames.has(name) && !name.startsWith("__")) return object.get(name);
  if (object instanceof LoopValue) return loopMember(object, name);
  if (object === undefined) throw new TemplateRefusal();
  if (object instanceof NamespaceValue) return object.members.get(name);
  if (isAttribute(object, name)) return boundMethod(object, name);
  return undefined;
}

function isAttribute(object: Value, name: string): boolean {
  if (name.startsWith("__")) throw new UnsupportedTemplateError("an attribute of Python itself");
  if (object instanceof DictValue) return dictNames.has(name);
  if (object instanceof SequenceValue) return namesOf(object).has(name);
  if (isText(object)) return textNames.has(name);
  if (isNumber(object) || typeof object === "boolean") return numberNames.has(name);
  if (object instanceof CallableValue) throw new UnsupportedTemplateError("an attribute of a function");
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
  const text = textOf(object);
  const characters = /^\p{ASCII}*$/u.test(text) ? text : [...text];
  const character = characters.at(place);
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
  return new SequenceValue(object.type, sliceItems(object.items, bounds));
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
      const bound = new BoundArguments(args, ["key", "default"], 1);
      const entry = object.entryOf(bound.get("key"));
      return entry === undefined ? (bound.has("default") ? bound.get("default") : null) : entry[1];
    }
    case "items":
      return new SequenceValue("view", () => object.entries().map((entry) => new SequenceValue("tuple", entry)));
    case "keys":
      return new SequenceValue("view", () => object.keys());
    case "values":
      return new SequenceValue("view", () => object.entries().map(([, value]) => value));
    case "copy":
      return object;
    default:
      if (changing.has(name)) throw new TemplateRefusal();
      throw new UnsupportedTemplateError(`method ${name} of a dict`);
  }
}

function textMethod(object: string | MarkupValue, name: string, args: CallArguments, frame: Frame): Value {
  const method = pythonStringMethods.get(name);
  if (method === undefined) throw new UnsupportedTemplateError(`method ${name} of a string`);
  const text = textOf(object);
  frame.render.spend(text.length / 16);
  if (typeof object === "string") return method(text, args, frame);
  const result = ["strip", "lstrip", "rstrip", "upper", "lower"].includes(name) ? method(text, args, frame) : undefined;
  if (typeof result === "string") return new MarkupValue(result);
  if (name === "startswith" || name === "endswith") return method(text, args, frame);
  throw new UnsupportedTemplateError(`method ${name} of markup`);
}

function sequenceMethod(object: Value, name: string, args: CallArguments, frame: Frame): Value {
  if (!(object instanceof SequenceValue)) throw new UnsupportedTemplateError(`method ${name}`);
  const { equals } = frame.render.dialect;
  const items = object.items;
  if (name === "copy" && object.type === "list") return object;
  const wanted = new BoundArguments(args, ["value"], 1).get("value");
  if (name === "count") return items.filter((item) => equals(item, wanted)).length;
  if (name !== "index") throw new UnsupportedTemplateError(`method ${name} of a list`);
  const place = items.findIndex((item) => equals(item, wanted));
  if (place === -1) throw new TemplateRefusal();
  return place;
}
