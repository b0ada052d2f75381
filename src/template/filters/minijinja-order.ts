import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { withKeywords } from "../values/arguments.ts";
import { minijinjaCompare } from "../values/compare.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue, minijinjaIterate } from "../values/iterate.ts";
import { minijinjaAttribute, minijinjaItem } from "../values/minijinja-members.ts";
import { GroupValue, isSequence, isText, list, SequenceValue, textOf, type Value } from "../values/value.ts";
import { spend, spendSort } from "../work.ts";

/** Text in small letters, unless case counts. */
export function fold(value: Value, isExact: boolean): Value {
  return !isExact && isText(value) ? textOf(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : value;
}

/** `value.a.b`; numbers are places. */
export function memberPath(value: Value, path: Value): Value {
  if (!isText(path)) return minijinjaItem(value, path);
  spend(textOf(path).length);
  return textOf(path)
    .split(".")
    .reduce<Value>(
      (member, part) =>
        /^\+?\d+$/.test(part) ? minijinjaItem(member, Number(part)) : minijinjaAttribute(member, part),
      value,
    );
}

/** A member, or the fallback where there is none or no way to it. */
export function memberOr(value: Value, path: Value, fallback: Value): Value {
  try {
    return memberPath(value, path) ?? fallback;
  } catch (error) {
    if (error instanceof TemplateRefusal) return fallback;
    throw error;
  }
}

export type Compare = (one: Value, other: Value) => number;

export function byItself(isExact: boolean): Compare {
  return (one, other) => minijinjaCompare(fold(one, isExact), fold(other, isExact));
}

export function requiredPath(path: Value): string {
  if (!isText(path)) throw new TemplateRefusal();
  return textOf(path);
}

/** Several members with commas between are compared as lists, without regard to case only when there is one. */
export function byMembers(path: string, isExact: boolean): Compare {
  const paths = path.split(",").filter((part) => part !== "");
  const [only = path] = paths.map((part) => part.trim());
  if (paths.length <= 1) {
    const member = (item: Value) => found(() => fold(memberPath(item, only), isExact));
    return (one, other) => {
      const [a, b] = [member(one), member(other)];
      return a === undefined || b === undefined ? 0 : minijinjaCompare(a.value, b.value);
    };
  }
  const members = (item: Value) => list(paths.map((part) => memberOr(item, part.trim(), undefined)));
  return (one, other) => minijinjaCompare(members(one), members(other));
}

/** Undefined where there is no way to the member. */
function found(read: () => Value): { readonly value: Value } | undefined {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof TemplateRefusal) return undefined;
    throw error;
  }
}

/** Groups in the order of what they have in common, which is shown as the last of a group has it. */
export function groupBy(value: Value, args: readonly Value[]): Value {
  const { values, keywords } = withKeywords(args);
  const known = ["default", "case_sensitive", ...(values.length === 0 ? ["attribute"] : [])];
  if (values.length > 1 || keywords?.keys().some((key) => !known.includes(String(key)))) throw new TemplateRefusal();
  const path = requiredPath(values[0] ?? keywords?.get("attribute"));
  const fallback = keywords?.get("default");
  const isExact = isTrue(keywords?.get("case_sensitive"));
  const member = (item: Value) => memberOr(item, path, fallback);
  const compare: Compare = (one, other) => minijinjaCompare(fold(one, isExact), fold(other, isExact));
  const items = [...minijinjaIterate(value)];
  spendSort(items.length);
  items.sort((a, b) => compare(member(a), member(b)));
  const groups: { grouper: Value; items: Value[] }[] = [];
  for (const item of items) {
    const grouper = member(item);
    const last = groups.at(-1);
    if (last === undefined || compare(last.grouper, grouper) !== 0) groups.push({ grouper, items: [item] });
    else {
      last.grouper = grouper;
      last.items.push(item);
    }
  }
  return list(groups.map((group) => new GroupValue("list", group.grouper, new SequenceValue("iterable", group.items))));
}

/** Maps become one whose keys are in order, lists one list, all else what is gone through one after the other. */
export function chain(value: Value, args: readonly Value[]): Value {
  const all = [value, ...args];
  if (all.every((one) => one instanceof DictValue)) {
    const entries = DictValue.of(all.flatMap((one) => one.entries())).entries();
    return DictValue.of(entries.toSorted(([one], [other]) => minijinjaCompare(one, other)));
  }
  const areLists = all.every((one) => isSequence(one) && one.type !== "iterable");
  // How many there are is not known of others, and what cannot be gone through is an item itself.
  if (!areLists) throw new UnsupportedTemplateError("a chain of no lists");
  return list(all.flatMap(minijinjaIterate));
}

export function zip(value: Value, args: readonly Value[]): Value {
  const all = [value, ...args].map(minijinjaIterate);
  const length = all.reduce((least, items) => Math.min(least, items.length), Number.POSITIVE_INFINITY);
  return new SequenceValue("iterable", () => Array.from({ length }, (_, at) => list(all.map((items) => items[at]))));
}
