import { chargeOf } from "../compile/charge.ts";
import type { Frame } from "../compile/frame.ts";
import { characters } from "../python/code-points.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { withKeywords } from "../values/arguments.ts";
import { minijinjaCompare, minijinjaEquals } from "../values/compare.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue, minijinjaIterate } from "../values/iterate.ts";
import { countOf } from "../values/minijinja-operations.ts";
import { minijinjaText } from "../values/text.ts";
import {
  isNumber,
  isSequence,
  isText,
  list,
  positionalArguments,
  SequenceValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { spend, spendSort } from "../work.ts";
import {
  byItself,
  byMembers,
  chain,
  fold,
  groupBy,
  memberOr,
  memberPath,
  requiredPath,
  zip,
} from "./minijinja-order.ts";

export type FlatFilter = (value: Value, args: readonly Value[], frame: Frame) => Value;

/** Filters of lists: name, most arguments, what it does. */
export const minijinjaListFilters: readonly (readonly [string, number, FlatFilter])[] = [
  ["list", 0, (value) => list([...minijinjaIterate(value)])],
  ["items", 0, items],
  ["first", 0, first],
  ["last", 0, last],
  ["reverse", 0, reverse],
  ["join", 1, join],
  ["sort", 1, sort],
  ["dictsort", 1, dictSort],
  ["groupby", 2, groupBy],
  ["chain", 100, chain],
  ["zip", 100, zip],
  ["unique", 1, unique],
  ["min", 0, (value) => extreme(value, (order) => order < 0)],
  ["max", 0, (value) => extreme(value, (order) => order >= 0)],
  ["sum", 0, sum],
  ["batch", 2, batch],
  ["slice", 2, slices],
  ["map", 20, map],
  ["select", 20, (value, args, frame) => selected(value, args, frame, 0, true)],
  ["reject", 20, (value, args, frame) => selected(value, args, frame, 0, false)],
  ["selectattr", 20, (value, args, frame) => selected(value, args, frame, 1, true)],
  ["rejectattr", 20, (value, args, frame) => selected(value, args, frame, 1, false)],
];

function items(value: Value): Value {
  if (!(value instanceof DictValue)) throw new TemplateRefusal();
  return new SequenceValue("iterable", () => value.entries().map((entry) => list(entry)));
}

function first(value: Value): Value {
  if (value === undefined || value === null) throw new TemplateRefusal();
  return minijinjaIterate(value)[0];
}

function last(value: Value): Value {
  if (!isText(value) && !isSequence(value)) throw new TemplateRefusal();
  return minijinjaIterate(value).at(-1);
}

function reverse(value: Value): Value {
  if (value === undefined || value === null) return value;
  if (isText(value)) return characters(textOf(value)).reverse().join("");
  // A map's keys are turned twice there (minijinja@2.24.0, observed).
  if (value instanceof DictValue) return new SequenceValue("iterable", value.keys());
  return new SequenceValue("iterable", [...minijinjaIterate(value)].reverse());
}

function join(value: Value, [separator]: readonly Value[], { render }: Frame): Value {
  const by = separator === undefined || separator === null ? "" : minijinjaText(separator);
  const text = minijinjaIterate(value).map(minijinjaText).join(by);
  render.checkLength(text.length);
  return text;
}

/** The keyword arguments, when all are of the names. */
function options(args: readonly Value[], names: readonly string[]): (name: string) => Value {
  const { values, keywords } = withKeywords(args);
  if (values.length > 0 || keywords?.keys().some((key) => !names.includes(String(key)))) throw new TemplateRefusal();
  return (name) => keywords?.get(name);
}

function sort(value: Value, args: readonly Value[]): Value {
  const option = options(args, ["case_sensitive", "reverse", "attribute"]);
  const path = option("attribute");
  const isExact = isTrue(option("case_sensitive"));
  const compare = path === undefined || path === null ? byItself(isExact) : byMembers(requiredPath(path), isExact);
  const sign = isTrue(option("reverse")) ? -1 : 1;
  const values = minijinjaIterate(value);
  spendSort(values.length);
  return list([...values].sort((a, b) => sign * compare(a, b)));
}

function dictSort(value: Value, args: readonly Value[]): Value {
  if (!(value instanceof DictValue)) throw new TemplateRefusal();
  const option = options(args, ["by", "case_sensitive", "reverse"]);
  const isExact = isTrue(option("case_sensitive"));
  const sign = isTrue(option("reverse")) ? -1 : 1;
  const place = option("by") === "value" ? 1 : 0;
  const entries = value.entries();
  spendSort(entries.length);
  entries.sort((a, b) => sign * minijinjaCompare(fold(a[place], isExact), fold(b[place], isExact)));
  return list(entries.map((entry) => list(entry)));
}

function unique(value: Value, args: readonly Value[], { render }: Frame): Value {
  const option = options(args, ["attribute", "case_sensitive"]);
  const path = option("attribute");
  const isExact = isTrue(option("case_sensitive"));
  const seen: Value[] = [];
  return list(
    minijinjaIterate(value).filter((item) => {
      const member = path === undefined || path === null ? item : memberPath(item, path);
      const key = !isExact && isText(member) ? textOf(member).toLowerCase() : member;
      render.spend(4 * seen.length);
      if (seen.some((other) => typeof other === typeof key && minijinjaEquals(other, key))) return false;
      seen.push(key);
      return true;
    }),
  );
}

function extreme(value: Value, isBetter: (order: number) => boolean): Value {
  const [start, ...rest] = minijinjaIterate(value);
  spend(rest.length * 8);
  return rest.reduce((best, item) => (isBetter(minijinjaCompare(item, best)) ? item : best), start);
}

function sum(value: Value, _: readonly Value[], frame: Frame): Value {
  const add = frame.render.dialect.operations["+"];
  return minijinjaIterate(value).reduce<Value>((total, item) => {
    spend(8);
    if (item !== undefined && !isNumber(item)) throw new TemplateRefusal();
    return item === undefined ? total : add(total, item, frame);
  }, 0);
}

function batch(value: Value, [size, fill]: readonly Value[]): Value {
  const count = countOf(size);
  if (count === 0) throw new TemplateRefusal();
  const all = minijinjaIterate(value);
  const batches: Value[] = [];
  for (let at = 0; at < all.length; at += count) batches.push(list(filled(all.slice(at, at + count), count, fill)));
  return list(batches);
}

function filled(values: readonly Value[], size: number, fill: Value): readonly Value[] {
  if (fill === undefined || fill === null || size > 100_000) return values;
  return [...values, ...new Array<Value>(size - values.length).fill(fill)];
}

function slices(value: Value, [number, fill]: readonly Value[]): Value {
  const count = countOf(number);
  if (count === 0 || count > 100_000) throw new TemplateRefusal();
  const all = minijinjaIterate(value);
  const size = Math.floor(all.length / count);
  const longer = all.length % count;
  return list(
    Array.from({ length: count }, (_, at) => {
      const from = at * size + Math.min(at, longer);
      const slice = all.slice(from, from + size + (at < longer ? 1 : 0));
      return list(at >= longer && fill !== undefined && fill !== null ? [...slice, fill] : slice);
    }),
  );
}

function map(value: Value, args: readonly Value[], frame: Frame): Value {
  const { values, keywords } = withKeywords(args);
  const path = keywords?.get("attribute");
  if (path !== undefined && path !== null)
    return list(minijinjaIterate(value).map(mappedMember(values, keywords, path)));
  const [name, ...rest] = values;
  const apply = isText(name) ? frame.render.dialect.filters.get(textOf(name)) : undefined;
  if (apply === undefined) throw new TemplateRefusal();
  const count = chargeOf(String(name));
  return list(
    minijinjaIterate(value).map((item) => {
      count(item);
      return apply(item, positionalArguments(...rest), frame);
    }),
  );
}

function mappedMember(values: readonly Value[], keywords: DictValue | undefined, path: Value): (item: Value) => Value {
  const fallback = keywords?.get("default");
  if (values.length > 0 || keywords?.keys().some((key) => key !== "attribute" && key !== "default"))
    throw new TemplateRefusal();
  return (item) => {
    spend(8);
    return fallback === undefined ? memberPath(item, path) : memberOr(item, path, fallback);
  };
}

/** @param testAt place of the test's name; before it stands the attribute */
function selected(value: Value, args: readonly Value[], frame: Frame, testAt: 0 | 1, isKept: boolean): Value {
  if (testAt === 1 && args.length === 0) throw new TemplateRefusal();
  const name = args[testAt];
  const hasTest = name !== undefined && name !== null;
  const test = hasTest ? frame.render.dialect.tests.get(minijinjaText(name)) : undefined;
  if (hasTest && test === undefined) throw new TemplateRefusal();
  const rest = positionalArguments(...args.slice(testAt + 1));
  return list(
    minijinjaIterate(value).filter((item) => {
      spend(8);
      const member = testAt === 1 ? memberPath(item, minijinjaText(args[0])) : item;
      return (test === undefined ? isTrue(member) : test(member, rest, frame)) === isKept;
    }),
  );
}
