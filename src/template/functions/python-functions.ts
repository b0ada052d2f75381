import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { type DictEntry, DictValue } from "../values/dict-value.ts";
import { pythonIterate } from "../values/iterate.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { fromKeys } from "../values/python-members.ts";
import {
  type CallArguments,
  CallableValue,
  isText,
  ObjectValue,
  SequenceValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { range } from "./range.ts";
import { formatTime } from "./strftime.ts";

/** Functions of transformers' environment (transformers@5 chat_template_utils.py) and of jinja2 itself. */
export const pythonFunctions: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["range", new CallableValue((args) => range(args, "range"))],
  [
    "dict",
    new ObjectValue(
      (name) => dictMember(name),
      (args) => DictValue.of(entriesOf(args)),
    ),
  ],
  ["namespace", new CallableValue(namespace)],
  // The text is not shown: it may be made of a client's words.
  ["raise_exception", new CallableValue(refuse)],
  [
    "strftime_now",
    new CallableValue((args, { render }) => {
      return formatTime(render.now(), new BoundArguments(args, ["format"], 1).requiredText("format"));
    }),
  ],
  ["cycler", new CallableValue(cycler)],
  ["joiner", new CallableValue(joiner)],
  ["lipsum", new CallableValue(() => unknown("lipsum"))],
]);

function refuse(): never {
  throw new TemplateRefusal();
}

function unknown(name: string): never {
  throw new UnsupportedTemplateError(`function ${name}`);
}

function dictMember(name: string): Value {
  return name === "fromkeys" ? new CallableValue(fromKeys) : undefined;
}

/** Gives its items one after the other, over and over. */
function cycler({ positional, named }: CallArguments): Value {
  if (positional.length === 0 || named.size > 0) throw new TemplateRefusal();
  let at = 0;
  const members: Readonly<Record<string, () => Value>> = {
    current: () => positional[at],
    pos: () => at,
    items: () => new SequenceValue("tuple", positional),
    next: () =>
      new CallableValue((args) => {
        noArguments(args);
        const item = positional[at];
        at = (at + 1) % positional.length;
        return item;
      }),
    reset: () =>
      new CallableValue((args) => {
        noArguments(args);
        at = 0;
        return null;
      }),
  };
  return new ObjectValue((name) => (Object.hasOwn(members, name) ? members[name]?.() : undefined));
}

/** Gives nothing when it is called first, and its separator afterwards. */
function joiner(args: CallArguments): Value {
  const bound = new BoundArguments(args, ["sep"]);
  const separator = bound.has("sep") ? bound.get("sep") : ", ";
  let isUsed = false;
  const call = (given: CallArguments): Value => {
    noArguments(given);
    const text = isUsed ? separator : "";
    isUsed = true;
    return text;
  };
  return new ObjectValue((name) => (name === "sep" ? separator : name === "used" ? isUsed : undefined), call);
}

function noArguments({ positional, named }: CallArguments): void {
  if (positional.length + named.size > 0) throw new TemplateRefusal();
}

/** Python's `dict(...)`: a mapping or pairs, then names. */
function entriesOf({ positional, named }: CallArguments): readonly DictEntry[] {
  if (positional.length > 1) throw new TemplateRefusal();
  const [first] = positional;
  // Python asks it for `keys` first.
  if (positional.length === 1 && first === undefined) throw new TemplateRefusal();
  const given =
    first instanceof DictValue ? first.entries() : positional.length === 0 ? [] : pythonIterate(first).map(pairOf);
  return [...given, ...named];
}

function pairOf(value: Value): DictEntry {
  const items = pythonIterate(value);
  if (items.length !== 2) throw new TemplateRefusal();
  return [items[0], items[1]];
}

function namespace(args: CallArguments): Value {
  if (args.positional.length === 0) {
    const made = NamespaceValue.of(args.named);
    for (const name of made.names) checkPythonNamespaceName(name);
    return made;
  }
  const value = NamespaceValue.of(new Map());
  for (const [key, member] of entriesOf(args)) {
    if (!isText(key)) throw new UnsupportedTemplateError("a namespace with other keys");
    checkPythonNamespaceName(textOf(key));
    value.set(textOf(key), member);
  }
  return value;
}

/** transformers keeps names that begin with `_` out of namespaces. */
export function checkPythonNamespaceName(name: string): void {
  if (name.startsWith("_")) throw new TemplateRefusal();
}
