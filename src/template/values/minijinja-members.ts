import { callValue } from "../compile/calls.ts";
import type { Frame } from "../compile/frame.ts";
import { minijinjaStringMethods } from "../methods/minijinja-strings.ts";
import { characterAt, characters } from "../python/code-points.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { flatArguments, withKeywords } from "./arguments.ts";
import { minijinjaEquals, numeric } from "./compare.ts";
import { DictValue } from "./dict-value.ts";
import { loopMember } from "./loop-members.ts";
import { NamespaceValue } from "./namespace-value.ts";
import { sliceItems, sliceText } from "./slices.ts";
import {
  type CallArguments,
  CallableValue,
  GroupValue,
  isSequence,
  isText,
  LoopValue,
  list,
  type MarkupValue,
  SequenceValue,
  textOf,
  type Value,
} from "./value.ts";

/** `object.name`: a map's member. */
export function minijinjaAttribute(object: Value, name: string): Value {
  if (object instanceof DictValue) return object.get(name);
  if (object instanceof LoopValue) return loopMember(object, name);
  if (object === undefined) throw new TemplateRefusal();
  if (object instanceof NamespaceValue) return object.get(name);
  if (object instanceof GroupValue && (name === "grouper" || name === "list")) return object[name];
  if (object instanceof CallableValue) throw new UnsupportedTemplateError("an attribute of a function");
  return undefined;
}

/** `object[key]`. */
export function minijinjaItem(object: Value, key: Value): Value {
  if (object instanceof DictValue) return typeof key === "string" ? object.get(key) : memberOf(object, key);
  if (isText(key)) return isText(object) ? undefined : minijinjaAttribute(object, textOf(key));
  if (object === undefined) throw new TemplateRefusal();
  const place = numeric(key);
  if (place === undefined || !Number.isSafeInteger(Number(place))) return undefined;
  if (isSequence(object)) return object.items.at(Number(place));
  return isText(object) ? characterAt(textOf(object), Number(place)) : undefined;
}

function memberOf(dict: DictValue, key: Value): Value {
  if (isSequence(key) || key instanceof DictValue) return undefined;
  const entry = dict.entryOf(key);
  // A number is no key that is a bool, nor the other way round.
  return entry !== undefined && (typeof entry[0] === "boolean") === (typeof key === "boolean") ? entry[1] : undefined;
}

/** `object[start:stop:step]`: a lazy list. */
export function minijinjaSlice(object: Value, start: Value, stop: Value, step: Value): Value {
  const bounds = [start, stop, step].map((bound) => {
    if (bound === null) return undefined;
    const number = numeric(bound);
    if (number === undefined || !Number.isSafeInteger(Number(number))) throw new TemplateRefusal();
    return Number(number);
  });
  const [from, to, by = 1] = bounds;
  if (by === 0) throw new TemplateRefusal();
  if (object === undefined || object === null) return list([]);
  if (!isText(object) && !isSequence(object)) throw new TemplateRefusal();
  if (by < 0) return backwards(object, from, to, -by);
  if (isText(object)) return sliceText(textOf(object), bounds);
  return new SequenceValue("iterable", sliceItems(object.items, bounds));
}

/** Counts down from a place to another, which is the last one unless it is the first of all (minijinja@2.24.0 value/ops.rs). */
function backwards(
  object: string | MarkupValue | SequenceValue,
  from: number | undefined,
  to: number | undefined,
  by: number,
): Value {
  const items: readonly Value[] = isText(object) ? characters(textOf(object)) : object.items;
  const end = items.length;
  const place = (bound: number) => (bound < 0 ? Math.max(0, end + bound) : bound);
  const start = from === undefined || from >= end ? Math.max(0, end - 1) : place(from);
  const stop = to === undefined ? 0 : place(to);
  // There it counts below zero, or looks for what is not there, and gives up.
  if (end === 0 || start < stop) throw new UnsupportedTemplateError("a slice backwards");
  const length = stop === 0 ? Math.floor((start + by) / by) : Math.floor((start - stop + by - 1) / by);
  const taken = Array.from({ length }, (_, at) => items[start - at * by]);
  return isText(object) ? taken.join("") : new SequenceValue("iterable", taken);
}

/** `object.name(...)`: pycompat's methods first, then a member that can be called. */
export function minijinjaCallMethod(object: Value, name: string, args: CallArguments, frame: Frame): Value {
  if (isText(object)) {
    const method = minijinjaStringMethods.get(name);
    if (method === undefined) throw new TemplateRefusal();
    frame.render.spend(textOf(object).length / 16);
    return method(textOf(object), flatArguments(args), frame);
  }
  // The usual method, called several times for each message, is spared the objects of the others.
  if (name === "get" && object instanceof DictValue) return got(object, flatArguments(args));
  const result = object instanceof DictValue ? dictMethod(object, name, flatArguments(args)) : undefined;
  if (result !== undefined) return result.value;
  if (isSequence(object) && object.type === "list" && name === "count") return counted(object, flatArguments(args));
  if (object instanceof DictValue || object instanceof LoopValue || object instanceof NamespaceValue) {
    return callValue(minijinjaAttribute(object, name), args, frame);
  }
  throw new TemplateRefusal();
}

function counted({ items }: SequenceValue, args: readonly Value[]): Value {
  if (args.length !== 1) throw new TemplateRefusal();
  return items.filter((item) => minijinjaEquals(item, args[0])).length;
}

/** Undefined when there is no such method. */
function dictMethod(dict: DictValue, name: string, args: readonly Value[]): { readonly value: Value } | undefined {
  const items = () => dict.entries().map((entry) => list(entry));
  switch (name) {
    case "items":
      return { value: withoutArguments(args, new SequenceValue("iterable", items)) };
    case "keys":
      return { value: withoutArguments(args, new SequenceValue("iterable", () => dict.keys())) };
    case "values":
      return {
        value: withoutArguments(args, new SequenceValue("iterable", () => dict.entries().map(([, value]) => value))),
      };
    default:
      return undefined;
  }
}

function got(dict: DictValue, args: readonly Value[]): Value {
  const { values } = withKeywords(args);
  if (args.length === 0 || args.length > 2 || values.length === 0) throw new TemplateRefusal();
  const key = args[0];
  const entry = isSequence(key) || key instanceof DictValue ? undefined : dict.entryOf(key);
  return entry === undefined ? (args[1] ?? null) : entry[1];
}

function withoutArguments(args: readonly Value[], value: Value): Value {
  if (args.length > 0) throw new TemplateRefusal();
  return value;
}
