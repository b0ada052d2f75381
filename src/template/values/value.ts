import type { Frame } from "../compile/frame.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";
import type { DictValue } from "./dict-value.ts";
import type { NamedValues } from "./named-values.ts";
import type { NamespaceValue } from "./namespace-value.ts";

/**
 * A value inside a template. Strings, booleans, None (`null`) and undefined are JavaScript's own; an integer is a `number` when it is
 * safe and a `bigint` beyond; a float is boxed, to stay one when it is whole.
 */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | FloatValue
  | MarkupValue
  | SequenceValue
  | DictValue
  | NamespaceValue
  | IteratorValue
  | CallableValue
  | LoopValue
  | ObjectValue;

/** Arguments of a call: those by place, and those by name. */
export interface CallArguments {
  readonly positional: readonly Value[];
  readonly named: NamedValues;
}

const noNames: ReadonlyMap<string, Value> = new Map();

export function positionalArguments(...positional: readonly Value[]): CallArguments {
  return { positional, named: noNames };
}

/** A double. */
export class FloatValue {
  readonly kind = "float";
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Text that is marked as safe for HTML: jinja2 escapes what is joined to it, minijinja only remembers. */
export class MarkupValue {
  readonly kind = "markup";
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** `list`; `tuple` and `range` in Python; `view` is a dict's keys, values or items there; `iterable` is minijinja's lazy list. */
export type SequenceType = "list" | "tuple" | "range" | "view" | "iterable";

/** A dict's view, as Python names it. */
export type ViewName = "dict_keys" | "dict_values" | "dict_items";

/** Values in order. Never changed after it is made. */
export class SequenceValue {
  readonly kind = "sequence";
  readonly type: SequenceType;
  readonly #make: (() => readonly Value[]) | undefined;
  #items: readonly Value[] | undefined;
  readonly #text: string | undefined;

  /** It is written out in the template, of nothing but constants, and the same value each time. */
  readonly isConstant: boolean;

  /** @param items the values, or what makes them when they are first needed */
  constructor(
    type: SequenceType,
    items: readonly Value[] | (() => readonly Value[]),
    text?: string,
    isConstant = false,
  ) {
    this.#text = text;
    this.isConstant = isConstant;
    this.type = type;
    this.#items = typeof items === "function" ? undefined : items;
    this.#make = typeof items === "function" ? items : undefined;
  }

  /** What Python prints where that is not made of the items, or before the items of a view. */
  get text(): string | undefined {
    return this.#text;
  }

  /** The same type with other items. */
  mapped(change: (item: Value) => Value): SequenceValue {
    return new SequenceValue(this.type, () => this.items.map(change));
  }

  get items(): readonly Value[] {
    this.#items ??= this.#made();
    return this.#items;
  }

  /** How many items there are, 0 where they are still to be made. */
  get knownLength(): number {
    return this.#items?.length ?? 0;
  }

  #made(): readonly Value[] {
    const items = this.#make?.() ?? [];
    spend(items.length * 2);
    return items;
  }
}

/** A group of `groupby`: a pair whose places have names. */
export class GroupValue extends SequenceValue {
  readonly grouper: Value;
  readonly list: SequenceValue;

  constructor(type: SequenceType, grouper: Value, members: SequenceValue) {
    super(type, [grouper, members]);
    this.grouper = grouper;
    this.list = members;
  }
}

/** What jinja2's lazy filters give: it can be gone through once, is true even when empty, and has no length. */
export class IteratorValue {
  readonly kind = "iterator";
  readonly source: Iterator<Value>;

  constructor(source: Iterable<Value>) {
    this.source = source[Symbol.iterator]();
  }
}

/** A function, a bound method or a macro. */
export class CallableValue {
  readonly kind = "callable";
  readonly call: (args: CallArguments, frame: Frame) => Value;
  /** Prints a macro's text piece by piece; undefined for others. */
  readonly print: ((args: CallArguments, frame: Frame) => void) | undefined;

  /** Of a macro; "" for the body of a call block. */
  readonly macroName: string | undefined;

  constructor(
    call: (args: CallArguments, frame: Frame) => Value,
    print?: (args: CallArguments, frame: Frame) => void,
    macroName?: string,
  ) {
    this.call = call;
    this.print = print;
    this.macroName = macroName;
  }
}

/** An object of jinja2's with members of its own. */
export class ObjectValue {
  readonly kind = "object";
  /** Undefined for a name that it does not have. */
  readonly member: (name: string) => Value;
  /** Undefined for one that cannot be called. */
  readonly call: ((args: CallArguments, frame: Frame) => Value) | undefined;

  constructor(member: (name: string) => Value, call?: (args: CallArguments, frame: Frame) => Value) {
    this.member = member;
    this.call = call;
  }
}

/** The variable `loop`. */
export class LoopValue {
  readonly kind = "loop";
  readonly items: readonly Value[];
  /** Nesting of a recursive loop, 0 outermost. */
  readonly depth: number;
  /** Renders a deeper level; undefined unless the loop is recursive. */
  readonly recurse: ((items: Value) => Value) | undefined;
  at = 0;
  /** False where it is not known how many items there are. */
  readonly hasLength: boolean;
  /** What `changed` was asked last. */
  changedTo: readonly Value[] | undefined;

  constructor(
    items: readonly Value[],
    depth: number,
    recurse: ((items: Value) => Value) | undefined,
    hasLength: boolean,
  ) {
    this.items = items;
    this.depth = depth;
    this.recurse = recurse;
    this.hasLength = hasLength;
  }
}

export function isSequence(value: Value): value is SequenceValue {
  return value instanceof SequenceValue;
}

/** Text, marked or not. */
export function isText(value: Value): value is string | MarkupValue {
  return typeof value === "string" || value instanceof MarkupValue;
}

export function textOf(value: string | MarkupValue): string {
  return typeof value === "string" ? value : value.text;
}

export function isInteger(value: Value): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

export function isNumber(value: Value): value is number | bigint | FloatValue {
  return isInteger(value) || value instanceof FloatValue;
}

export function list(items: readonly Value[]): SequenceValue {
  return new SequenceValue("list", items);
}

/** Bits of the longest integer: Python prints none of more than 4,300 digits. */
const MOST_BITS = 14_000;

/** The shortest form of an integer. */
export function integer(value: bigint): number | bigint {
  const small = Number(value);
  if (Number.isSafeInteger(small)) return small;
  if (BigInt.asIntN(MOST_BITS, value) !== value) throw new UnsupportedTemplateError("a huge integer");
  return value;
}
