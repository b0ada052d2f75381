import type { Frame } from "../compile/frame.ts";
import { formatBraces } from "../python/brace-format.ts";
import { splitAt, splitLines, splitRightAt, splitWords, splitWordsRight } from "../python/split.ts";
import { strip, stripLeft, stripRight } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { type CallArguments, isSequence, isText, list, SequenceValue, textOf, type Value } from "../values/value.ts";
import { capitalize, isAll, titleCase } from "./cases.ts";

export type StringMethod = (text: string, args: CallArguments, frame: Frame) => Value;

type BoundMethod = (text: string, args: BoundArguments, frame: Frame) => Value;

function method(names: readonly string[], required: number, run: BoundMethod): StringMethod {
  return (text, args, frame) => run(text, new BoundArguments(args, names, required), frame);
}

/** Methods without arguments. */
function plain(run: (text: string) => Value): StringMethod {
  return method([], 0, run);
}

/** Python's methods of `str` that templates use. */
export const pythonStringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ["strip", method(["chars"], 0, (text, args) => strip(text, args.text("chars")))],
  ["lstrip", method(["chars"], 0, (text, args) => stripLeft(text, args.text("chars")))],
  ["rstrip", method(["chars"], 0, (text, args) => stripRight(text, args.text("chars")))],
  ["split", method(["sep", "maxsplit"], 0, (text, args) => split(text, args, splitAt, splitWords))],
  ["rsplit", method(["sep", "maxsplit"], 0, (text, args) => split(text, args, splitRightAt, splitWordsRight))],
  ["splitlines", method(["keepends"], 0, (text, args) => list(splitLines(text, args.integer("keepends", 0) !== 0)))],
  [
    "startswith",
    method(["prefix"], 1, (text, args) => affixes(args.get("prefix")).some((prefix) => text.startsWith(prefix))),
  ],
  [
    "endswith",
    method(["suffix"], 1, (text, args) => affixes(args.get("suffix")).some((suffix) => text.endsWith(suffix))),
  ],
  ["replace", method(["old", "new", "count"], 2, replace)],
  ["join", method(["iterable"], 1, join)],
  ["format", (text, args, frame) => formatBraces(text, args, frame)],
  ["find", method(["sub"], 1, (text, args) => codePoints(text, text.indexOf(args.requiredText("sub"))))],
  ["rfind", method(["sub"], 1, (text, args) => codePoints(text, text.lastIndexOf(args.requiredText("sub"))))],
  ["index", method(["sub"], 1, (text, args) => found(text, text.indexOf(args.requiredText("sub"))))],
  ["count", method(["sub"], 1, (text, args) => count(text, args.requiredText("sub")))],
  ["partition", method(["sep"], 1, (text, args) => partition(text, args.requiredText("sep")))],
  ["rpartition", method(["sep"], 1, (text, args) => partitionRight(text, args.requiredText("sep")))],
  ["removeprefix", method(["prefix"], 1, (text, args) => without(text, args.requiredText("prefix")))],
  ["removesuffix", method(["suffix"], 1, (text, args) => withoutEnd(text, args.requiredText("suffix")))],
  ["ljust", method(["width", "fill"], 1, (text, args, frame) => text + padding(text, args, frame))],
  ["rjust", method(["width", "fill"], 1, (text, args, frame) => padding(text, args, frame) + text)],
  ["zfill", method(["width"], 1, zeroFill)],
  ["upper", plain((text) => text.toUpperCase())],
  ["lower", plain((text) => text.toLowerCase())],
  ["title", plain(titleCase)],
  ["capitalize", plain(capitalize)],
  ["isspace", plain((text) => text !== "" && strip(text) === "")],
  ["isdigit", plain((text) => isAll(text, "digit"))],
  ["isdecimal", plain((text) => isAll(text, "digit"))],
  ["isnumeric", plain((text) => isAll(text, "digit"))],
  ["isalpha", plain((text) => isAll(text, "letter"))],
  ["isalnum", plain((text) => isAll(text, "letter-or-digit"))],
  ["isupper", plain((text) => isAll(text, "upper"))],
  ["islower", plain((text) => isAll(text, "lower"))],
  ["isascii", plain((text) => !/\P{ASCII}/u.test(text))],
]);

function split(
  text: string,
  args: BoundArguments,
  at: (text: string, separator: string, limit: number) => string[],
  words: (text: string, limit: number) => string[],
): Value {
  const separator = args.text("sep");
  const limit = args.integer("maxsplit", -1);
  if (separator === "") throw new TemplateRefusal();
  return list(separator === undefined ? words(text, limit) : at(text, separator, limit));
}

function affixes(value: Value): readonly string[] {
  if (isText(value)) return [textOf(value)];
  if (!isSequence(value) || value.type !== "tuple") throw new TemplateRefusal();
  return value.items.map((item) => {
    if (!isText(item)) throw new TemplateRefusal();
    return textOf(item);
  });
}

function replace(text: string, args: BoundArguments, frame: Frame): string {
  return replaced(text, args.requiredText("old"), args.requiredText("new"), args.integer("count", -1), frame);
}

/** Python's `str.replace`; an empty `old` stands between all characters. */
export function replaced(text: string, old: string, by: string, limit: number, frame: Frame): string {
  frame.render.spend(text.length);
  if (old !== "" && (limit === 0 || !text.includes(old))) return text;
  const parts = old === "" ? ["", ...text] : splitAt(text, old, limit);
  if (old === "" && limit >= 0) throw new UnsupportedTemplateError("replacing nothing, so many times");
  frame.render.checkLength(text.length + parts.length * by.length);
  return old === "" ? parts.join(by) + by : parts.join(by);
}

function join(text: string, args: BoundArguments, frame: Frame): string {
  const items = frame.render.dialect.iterate(args.get("iterable")).map((item) => {
    if (!isText(item)) throw new TemplateRefusal();
    return textOf(item);
  });
  frame.render.checkLength(items.length * text.length);
  return items.join(text);
}

/** A place in UTF-16 units as one in code points. */
export function codePoints(text: string, at: number): number {
  return at === -1 ? -1 : lengthOf(text.slice(0, at));
}

function found(text: string, at: number): number {
  if (at === -1) throw new TemplateRefusal();
  return codePoints(text, at);
}

/** Length in code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xdc00 && unit <= 0xdfff) length--;
  }
  return length;
}

export function count(text: string, part: string): number {
  return part === "" ? lengthOf(text) + 1 : splitAt(text, part, -1).length - 1;
}

function tuple(...items: readonly string[]): Value {
  return new SequenceValue("tuple", items);
}

function partition(text: string, separator: string): Value {
  if (separator === "") throw new TemplateRefusal();
  const at = text.indexOf(separator);
  return at === -1 ? tuple(text, "", "") : tuple(text.slice(0, at), separator, text.slice(at + separator.length));
}

function partitionRight(text: string, separator: string): Value {
  if (separator === "") throw new TemplateRefusal();
  const at = text.lastIndexOf(separator);
  return at === -1 ? tuple("", "", text) : tuple(text.slice(0, at), separator, text.slice(at + separator.length));
}

function without(text: string, prefix: string): string {
  return prefix !== "" && text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function withoutEnd(text: string, suffix: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function padding(text: string, args: BoundArguments, frame: Frame): string {
  const fill = args.text("fill") ?? " ";
  if (lengthOf(fill) !== 1) throw new TemplateRefusal();
  const missing = Math.max(0, args.integer("width", 0) - lengthOf(text));
  frame.render.checkLength(missing);
  return fill.repeat(missing);
}

function zeroFill(text: string, args: BoundArguments, frame: Frame): string {
  const missing = Math.max(0, args.integer("width", 0) - lengthOf(text));
  frame.render.checkLength(missing);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}
