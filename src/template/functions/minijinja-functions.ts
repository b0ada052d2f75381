import { requiredText } from "../methods/minijinja-strings.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { flatArguments, withKeywords } from "../values/arguments.ts";
import { type DictEntry, DictValue } from "../values/dict-value.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { type CallArguments, CallableValue, isText, textOf, type Value } from "../values/value.ts";
import { range } from "./range.ts";
import { formatTime } from "./strftime.ts";

/** Functions of minijinja@2.24.0 and of dynamo-renderer@8.0.3 tokcfg.rs. */
export const minijinjaFunctions: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["range", new CallableValue((args) => range(args, "iterable"))],
  ["dict", new CallableValue((args) => DictValue.of(entriesOf(args)))],
  ["namespace", new CallableValue(namespace)],
  // The text is not shown: it may be made of a client's words.
  ["raise_exception", new CallableValue(refuse)],
  [
    "strftime_now",
    new CallableValue((args, { render }) => formatTime(render.now(), requiredText(flatArguments(args)[0]))),
  ],
  ["debug", new CallableValue(unknown)],
]);

function refuse(): never {
  throw new TemplateRefusal();
}

function unknown(): never {
  throw new UnsupportedTemplateError("function debug");
}

function entriesOf(args: CallArguments): readonly DictEntry[] {
  const { values, keywords } = withKeywords(flatArguments(args));
  const [first] = values;
  const isFit = values.length <= 1 && (first === undefined || first instanceof DictValue);
  if (!isFit) throw new TemplateRefusal();
  return [...(first instanceof DictValue ? first.entries() : []), ...(keywords?.entries() ?? [])];
}

function namespace(args: CallArguments): Value {
  if (args.positional.length === 0) return NamespaceValue.of(args.named);
  const flat = flatArguments(args);
  const [given] = flat;
  if (flat.length > 1 || (given !== undefined && given !== null && !(given instanceof DictValue)))
    throw new TemplateRefusal();
  const value = NamespaceValue.of(new Map());
  for (const [key, member] of given instanceof DictValue ? given.entries() : []) {
    if (isText(key)) value.set(textOf(key), member);
  }
  return value;
}
