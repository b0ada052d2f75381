import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { pythonCompare } from "../values/compare.ts";
import { type DictEntry, DictValue } from "../values/dict-value.ts";
import { FloatValue, isInteger, isSequence, isText, type SequenceValue, textOf, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import { floatText } from "./float.ts";

export interface DumpOptions {
  /** What one level is indented by; undefined keeps everything on one line. */
  readonly indent: string | undefined;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  /** Members in the order of their keys. */
  readonly sortsKeys?: boolean;
  readonly isAscii: boolean;
  /** Undefined is written as null. */
  readonly takesUndefined?: boolean;
  /** Text of floats that JSON does not have. */
  readonly nonFinite: (value: number) => string;
}

/** Python's `json.dumps`. @throws TemplateRefusal for what JSON cannot hold */
export function dumpJson(value: Value, options: DumpOptions, depth = 0): string {
  if (isText(value)) return dumpString(textOf(value), options);
  if (value === null || (value === undefined && options.takesUndefined === true)) return "null";
  if (typeof value === "boolean") return String(value);
  if (isInteger(value)) return String(value);
  if (value instanceof FloatValue)
    return Number.isFinite(value.value) ? floatText(value.value) : options.nonFinite(value.value);
  if (value instanceof DictValue) {
    const members = (options.sortsKeys === true ? inOrder(value.entries()) : value.entries()).map(([key, member]) => {
      const name = dumpString(keyText(key), options);
      return name + options.keySeparator + dumpJson(member, options, depth + 1);
    });
    return enclosed("{", "}", members, options, depth);
  }
  if (!isSequence(value) || value.type === "view" || value.type === "range") throw new TemplateRefusal();
  return dumpItems(value, options, depth);
}

/** @throws TemplateRefusal for keys that Python cannot compare */
function inOrder(entries: readonly DictEntry[]): readonly DictEntry[] {
  return entries.toSorted(([one], [other]) => pythonCompare(one, other));
}

function dumpItems({ items }: SequenceValue, options: DumpOptions, depth: number): string {
  return enclosed(
    "[",
    "]",
    items.map((item) => dumpJson(item, options, depth + 1)),
    options,
    depth,
  );
}

function enclosed(open: string, close: string, items: readonly string[], options: DumpOptions, depth: number): string {
  const { indent, itemSeparator } = options;
  spend(items.reduce((sum, item) => sum + 16 + item.length / 8, 0));
  spend(((indent?.length ?? 0) * items.length * (depth + 1)) / 16);
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(itemSeparator) + close;
  const inner = `\n${indent.repeat(depth + 1)}`;
  return `${open}${inner}${items.join(itemSeparator + inner)}\n${indent.repeat(depth)}${close}`;
}

function keyText(key: Value): string {
  if (isText(key)) return textOf(key);
  if (isInteger(key)) return String(key);
  if (key === null) return "null";
  if (typeof key === "boolean") return String(key);
  throw new UnsupportedTemplateError("a key that JSON does not have");
}

/** JSON.stringify escapes as Python does: quotes, backslash, the control characters below U+0020; strings hold no lone surrogates. */
function dumpString(value: string, { isAscii }: DumpOptions): string {
  spend(value.length / 8);
  const json = JSON.stringify(value);
  if (!isAscii) return json;
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
