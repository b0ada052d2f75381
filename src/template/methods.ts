import { type Arguments, argument, integerArgument, stringArgument } from "./arguments.ts";
import type { TemplateDialect } from "./dialect.ts";
import { splitAt, splitLines, splitWords, strip, stripLeft, stripRight } from "./python-text.ts";
import {
  ArrayValue,
  claim,
  isArray,
  isMapping,
  isNone,
  isString,
  isUndefined,
  NullValue,
  type RuntimeValue,
  text,
} from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

type StringMethod = (value: string, args: Arguments) => RuntimeValue;

const stringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ["strip", (value, args) => text(strip(value, stringArgument(args, 0, "chars")))],
  ["lstrip", (value, args) => text(stripLeft(value, stringArgument(args, 0, "chars")))],
  ["rstrip", (value, args) => text(stripRight(value, stringArgument(args, 0, "chars")))],
  ["split", (value, args) => splitBy(value, args)],
  ["splitlines", (value, args) => (args.positional.length > 0 ? unknownArguments() : list(splitLines(value)))],
  ["startswith", (value, args) => claim(affixes(args).some((affix) => value.startsWith(affix)))],
  ["endswith", (value, args) => claim(affixes(args).some((affix) => value.endsWith(affix)))],
  ["replace", (value, args) => text(replaced(value, args))],
  ["upper", (value) => text(value.toUpperCase())],
  ["lower", (value) => text(value.toLowerCase())],
  ["join", (value, args) => text(joinedBy(value, argument(args, 0, "iterable")))],
]);

/** `object.name(...)` on strings and mappings. */
export function callMethod(
  object: RuntimeValue,
  name: string,
  args: Arguments,
  dialect: TemplateDialect,
): RuntimeValue {
  if (isUndefined(object)) throw new TemplateRefusal();
  if (isString(object)) {
    const method = stringMethods.get(name);
    if (method === undefined) throw new UnsupportedTemplateError(`method ${name} of a string`);
    return method(object.value, args);
  }
  if (isMapping(object)) return mappingMethod(object.value, name, args);
  if (isArray(object) && name === "append" && dialect === "huggingface") {
    object.value.push(...args.positional);
    return new NullValue(null);
  }
  // Lists, numbers and None have none of the methods of strings and mappings: an error on every side.
  if ((stringMethods.has(name) || mappingMethods.has(name)) && (isArray(object) || isNone(object)))
    throw new TemplateRefusal();
  throw new UnsupportedTemplateError(`method ${name} of ${object.type}`);
}

const mappingMethods = new Set(["get", "items", "keys", "values"]);

function mappingMethod(members: Map<string, RuntimeValue>, name: string, args: Arguments): RuntimeValue {
  switch (name) {
    case "get": {
      const key = args.positional[0];
      if (key === undefined || !isString(key)) throw new UnsupportedTemplateError("get without a string");
      return members.get(key.value) ?? args.positional[1] ?? new NullValue(null);
    }
    case "items":
      return new ArrayValue([...members].map(([key, member]) => new ArrayValue([text(key), member])));
    case "keys":
      return list([...members.keys()]);
    case "values":
      return new ArrayValue([...members.values()]);
    default:
      throw new UnsupportedTemplateError(`method ${name} of a mapping`);
  }
}

function list(items: readonly string[]): RuntimeValue {
  return new ArrayValue(items.map(text));
}

function unknownArguments(): never {
  throw new UnsupportedTemplateError("arguments of a method");
}

function splitBy(value: string, args: Arguments): RuntimeValue {
  const separator = stringArgument(args, 0, "sep");
  if (separator === "") throw new UnsupportedTemplateError("split at an empty separator");
  const limit = integerArgument(args, 1, "maxsplit") ?? -1;
  return list(separator === undefined ? splitWords(value, limit) : splitAt(value, separator, limit));
}

function affixes(args: Arguments): readonly string[] {
  const [affix] = args.positional;
  if (args.positional.length === 1 && affix !== undefined && isString(affix)) return [affix.value];
  const items = affix !== undefined && isArray(affix) ? affix.value.filter(isString) : [];
  if (items.length === 0) throw new UnsupportedTemplateError("startswith or endswith of this");
  return items.map((item) => item.value);
}

export function replaced(value: string, args: Arguments): string {
  const from = stringArgument(args, 0, "old");
  const to = stringArgument(args, 1, "new");
  if (from === undefined || to === undefined || from === "") throw new UnsupportedTemplateError("replace of this");
  return splitAt(value, from, integerArgument(args, 2, "count") ?? -1).join(to);
}

function joinedBy(separator: string, items: RuntimeValue | undefined): string {
  if (items === undefined || !isArray(items) || !items.value.every(isString)) {
    throw new UnsupportedTemplateError("join of this");
  }
  return items.value.map((item) => item.value).join(separator);
}
