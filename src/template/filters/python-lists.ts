import { chargeOf } from "../compile/charge.ts";
import type { Frame } from "../compile/frame.ts";
import type { Filter } from "../dialect/dialect.ts";
import { characters } from "../python/code-points.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments, smallInteger } from "../values/arguments.ts";
import { pythonCompare, pythonEquals } from "../values/compare.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue, pythonIterate } from "../values/iterate.ts";
import { pythonItem } from "../values/python-members.ts";
import { pythonText } from "../values/text.ts";
import {
  type CallArguments,
  GroupValue,
  IteratorValue,
  isSequence,
  isText,
  list,
  positionalArguments,
  SequenceValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { spend, spendSort } from "../work.ts";

type BoundFilter = (value: Value, args: BoundArguments, frame: Frame) => Value;

function filter(names: readonly string[], required: number, run: BoundFilter): Filter {
  return (value, args, frame) => run(value, new BoundArguments(args, names, required), frame);
}

/** Filters of lists. */
export const pythonListFilters: readonly (readonly [string, Filter])[] = [
  ["list", filter([], 0, (value) => list([...pythonIterate(value)]))],
  ["first", filter([], 0, (value) => pythonIterate(value)[0])],
  ["last", filter([], 0, last)],
  ["reverse", filter([], 0, reverse)],
  ["join", filter(["d", "attribute"], 0, join)],
  ["sort", filter(["reverse", "case_sensitive", "attribute"], 0, sort)],
  ["unique", filter(["case_sensitive", "attribute"], 0, unique)],
  ["min", filter(["case_sensitive", "attribute"], 0, (value, args) => extreme(value, args, -1))],
  ["max", filter(["case_sensitive", "attribute"], 0, (value, args) => extreme(value, args, 1))],
  ["sum", filter(["attribute", "start"], 0, sum)],
  ["groupby", filter(["attribute", "default", "case_sensitive"], 1, groupBy)],
  ["dictsort", filter(["case_sensitive", "by", "reverse"], 0, dictSort)],
  ["batch", filter(["linecount", "fill_with"], 1, batch)],
  ["slice", filter(["slices", "fill_with"], 1, slices)],
  ["map", map],
  ["select", (value, args, frame) => selected(value, args, frame, 0, true)],
  ["reject", (value, args, frame) => selected(value, args, frame, 0, false)],
  ["selectattr", (value, args, frame) => selected(value, args, frame, 1, true)],
  ["rejectattr", (value, args, frame) => selected(value, args, frame, 1, false)],
];

function last(value: Value): Value {
  if (value instanceof IteratorValue) throw new TemplateRefusal();
  return pythonIterate(value).at(-1);
}

function reverse(value: Value): Value {
  if (isText(value)) return characters(textOf(value)).reverse().join("");
  return new IteratorValue([...pythonIterate(value)].reverse());
}

function join(value: Value, args: BoundArguments, frame: Frame): Value {
  const path = args.get("attribute");
  const items = pythonIterate(value).map((item) =>
    path === undefined || path === null ? item : memberPath(item, path),
  );
  const separator = args.has("d") ? args.get("d") : "";
  const text = items.map(pythonText).join(pythonText(separator));
  frame.render.checkLength(text.length);
  return text;
}

/** `value[a][b]` along `a.b`, as jinja2's filters take attributes; the fallback stands for each member that is not there. */
function memberPath(value: Value, path: Value, fallback?: Value): Value {
  const parts = isText(path) ? textOf(path).split(".") : [path];
  spend(parts.length * 4);
  return parts.reduce<Value>((object, part) => {
    const member = pythonItem(object, typeof part === "string" && /^\d+$/.test(part) ? Number(part) : part);
    return member === undefined && fallback !== null ? fallback : member;
  }, value);
}

/** What to order by: letters of either case alike, unless asked. */
function keyOf(args: BoundArguments): (value: Value) => Value {
  const isExact = isTrue(args.get("case_sensitive"));
  const path = args.get("attribute");
  const fold = (value: Value) => (!isExact && isText(value) ? textOf(value).toLowerCase() : value);
  if (path === undefined || path === null) return fold;
  return (value) => fold(memberPath(value, path));
}

/** As `keyOf`, for one attribute or several with commas between: a list of them. */
function keysOf(args: BoundArguments): (value: Value) => Value {
  const path = args.get("attribute");
  const isExact = isTrue(args.get("case_sensitive"));
  const fold = (value: Value) => (!isExact && isText(value) ? textOf(value).toLowerCase() : value);
  if (path === undefined || path === null) return (value) => list([fold(value)]);
  const paths = isText(path) ? textOf(path).split(",") : [path];
  return (value) => list(paths.map((one) => fold(memberPath(value, one))));
}

function sorted(values: readonly Value[], key: (value: Value) => Value, isReversed: boolean): Value[] {
  spendSort(values.length);
  const keyed = values.map((value) => ({ value, key: key(value) }));
  keyed.sort((a, b) => (isReversed ? pythonCompare(b.key, a.key) : pythonCompare(a.key, b.key)));
  return keyed.map(({ value }) => value);
}

function sort(value: Value, args: BoundArguments): Value {
  const values = pythonIterate(value);
  // Keys are lists there: what is equal needs no order.
  return list(sorted(values, keysOf(args), isTrue(args.get("reverse"))));
}

function unique(value: Value, args: BoundArguments, frame: Frame): Value {
  return new IteratorValue(uniqueOf(value, keyOf(args), frame));
}

function isHashable(value: Value): boolean {
  if (value instanceof DictValue) return false;
  if (!isSequence(value)) return true;
  return value.type === "range" || (value.type === "tuple" && value.items.every(isHashable));
}

function* uniqueOf(value: Value, key: (value: Value) => Value, frame: Frame): Iterable<Value> {
  const seen: Value[] = [];
  for (const item of pythonIterate(value)) {
    const itemKey = key(item);
    if (!isHashable(itemKey)) throw new TemplateRefusal();
    frame.render.spend(4 * seen.length);
    if (seen.some((other) => pythonEquals(other, itemKey))) continue;
    seen.push(itemKey);
    yield item;
  }
}

function extreme(value: Value, args: BoundArguments, sign: 1 | -1): Value {
  const key = keyOf(args);
  const [first, ...rest] = pythonIterate(value);
  spend(rest.length * 8);
  return rest.reduce((best, item) => (pythonCompare(key(item), key(best)) * sign > 0 ? item : best), first);
}

function sum(value: Value, args: BoundArguments, frame: Frame): Value {
  const path = args.get("attribute");
  const add = frame.render.dialect.operations["+"];
  const start = args.has("start") ? args.get("start") : 0;
  if (isText(start)) throw new TemplateRefusal();
  return pythonIterate(value).reduce<Value>((total, item) => {
    spend(8);
    return add(total, path === undefined || path === null ? item : memberPath(item, path), frame);
  }, start);
}

/** Groups in the order of what they have in common, which is shown as the first of a group has it. */
function groupBy(value: Value, args: BoundArguments): Value {
  const fallback = args.get("default");
  const member = (item: Value) => memberPath(item, args.get("attribute"), fallback);
  const isExact = isTrue(args.get("case_sensitive"));
  const key = (item: Value) => {
    const found = member(item);
    return !isExact && isText(found) ? textOf(found).toLowerCase() : found;
  };
  const items = sorted(pythonIterate(value), key, false);
  const groups: Value[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group !== undefined && pythonEquals(key(group[0]), key(item))) group.push(item);
    else groups.push([item]);
  }
  return list(groups.map((group) => new GroupValue("tuple", member(group[0]), list(group))));
}

function dictSort(value: Value, args: BoundArguments): Value {
  if (!(value instanceof DictValue)) throw new TemplateRefusal();
  const by = args.has("by") ? args.get("by") : "key";
  if (by !== "key" && by !== "value") throw new TemplateRefusal();
  const place = by === "key" ? 0 : 1;
  const isExact = isTrue(args.get("case_sensitive"));
  const fold = (entry: Value) => {
    const key = entry instanceof SequenceValue ? entry.items[place] : undefined;
    return !isExact && isText(key) ? textOf(key).toLowerCase() : key;
  };
  const entries = value.entries().map((entry) => new SequenceValue("tuple", entry));
  return list(sorted(entries, fold, isTrue(args.get("reverse"))));
}

function batch(value: Value, args: BoundArguments): Value {
  const size = smallInteger(args.get("linecount"));
  if (size <= 0) throw new UnsupportedTemplateError("batches of nothing");
  const items = pythonIterate(value);
  const batches: Value[] = [];
  for (let at = 0; at < items.length; at += size) batches.push(list(filled(items.slice(at, at + size), size, args)));
  return new IteratorValue(batches);
}

function filled(items: readonly Value[], size: number, args: BoundArguments): readonly Value[] {
  const fill = args.get("fill_with");
  if (fill === undefined || fill === null || size > 100_000) return items;
  return [...items, ...new Array<Value>(size - items.length).fill(fill)];
}

function slices(value: Value, args: BoundArguments): Value {
  const items = pythonIterate(value);
  const count = smallInteger(args.get("slices"));
  if (count <= 0 || count > 100_000) throw new UnsupportedTemplateError("so many slices");
  const size = Math.floor(items.length / count);
  const longer = items.length % count;
  const result = Array.from({ length: count }, (_, at) => {
    const from = at * size + Math.min(at, longer);
    const slice = items.slice(from, from + size + (at < longer ? 1 : 0));
    return list(at >= longer ? filled(slice, slice.length + 1, args) : slice);
  });
  return new IteratorValue(result);
}

function map(value: Value, args: CallArguments, frame: Frame): Value {
  const apply = mapper(args, frame);
  return new IteratorValue(
    lazily(value, function* (items) {
      for (const item of items) {
        spend(8);
        yield apply(item);
      }
    }),
  );
}

function mapper({ positional, named }: CallArguments, frame: Frame): (value: Value) => Value {
  if (positional.length === 0 && named.has("attribute")) {
    const bound = new BoundArguments({ positional: [], named }, ["attribute", "default"]);
    const fallback = bound.get("default");
    return (value) => memberPath(value, bound.get("attribute"), fallback);
  }
  const [name, ...rest] = positional;
  const apply = isText(name) ? frame.render.dialect.filters.get(textOf(name)) : undefined;
  if (apply === undefined) throw new TemplateRefusal();
  const count = chargeOf(String(name));
  return (value) => {
    count(value);
    return apply(value, { positional: rest, named }, frame);
  };
}

/** Nothing is looked at before the result is gone through, and what is false counts as empty. */
function* lazily(value: Value, run: (items: readonly Value[]) => Iterable<Value>): Iterable<Value> {
  if (isTrue(value)) yield* run(pythonIterate(value));
}

/** @param testAt place of the test's name; before it stands the attribute */
function selected(value: Value, args: CallArguments, frame: Frame, testAt: 0 | 1, isKept: boolean): Value {
  const meets = condition(args, frame, testAt);
  return new IteratorValue(
    lazily(value, function* (items) {
      for (const item of items) {
        spend(8);
        if (meets(item) === isKept) yield item;
      }
    }),
  );
}

function condition({ positional, named }: CallArguments, frame: Frame, testAt: 0 | 1): (value: Value) => boolean {
  const path = positional[0];
  if (testAt === 1 && positional.length === 0) throw new TemplateRefusal();
  const member = (value: Value) => (testAt === 1 ? memberPath(value, path) : value);
  const name = positional[testAt];
  if (positional.length <= testAt) return (value) => isTrue(member(value));
  const test = isText(name) ? frame.render.dialect.tests.get(textOf(name)) : undefined;
  if (test === undefined) throw new TemplateRefusal();
  const rest = { ...positionalArguments(...positional.slice(testAt + 1)), named };
  return (value) => test(member(value), rest, frame);
}
