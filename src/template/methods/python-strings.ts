import type { Frame } from "../compile/frame.ts";
import { centered, formatBraces } from "../python/brace-format.ts";
import { characters, codePoints, lengthOf } from "../python/code-points.ts";
import { capitalize, isAllCased, isAllOf, isTitle, refuseRecent, swapCase, titleCase } from "../python/letters.ts";
import { partition, partitionRight } from "../python/partition.ts";
import { isPrintable } from "../python/quote.ts";
import { splitAt, splitLines, splitRightAt, splitWords, splitWordsRight } from "../python/split.ts";
import { strip, stripLeft, stripRight } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments } from "../values/arguments.ts";
import { DictValue } from "../values/dict-value.ts";
import { sliceText } from "../values/slices.ts";
import { type CallArguments, isSequence, isText, list, SequenceValue, textOf, type Value } from "../values/value.ts";
import { spend, spendSearch } from "../work.ts";

export type StringMethod = (text: string, args: CallArguments, frame: Frame) => Value;

type BoundMethod = (text: string, args: BoundArguments, frame: Frame) => Value;

function method(names: readonly string[], required: number, run: BoundMethod): StringMethod {
  return (text, args, frame) => run(text, new BoundArguments(args, names, required), frame);
}

/** Parameters that Python takes by place only. */
function byPlace(...names: readonly string[]): readonly string[] {
  return names.map((name) => `${name}/`);
}

/** Methods without arguments. */
function plain(run: (text: string) => Value): StringMethod {
  return method([], 0, run);
}

/** Python's methods of `str` that templates use. */
export const pythonStringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ["strip", method(byPlace("chars"), 0, (text, args) => strip(text, args.text("chars/")))],
  ["lstrip", method(byPlace("chars"), 0, (text, args) => stripLeft(text, args.text("chars/")))],
  ["rstrip", method(byPlace("chars"), 0, (text, args) => stripRight(text, args.text("chars/")))],
  ["split", method(["sep", "maxsplit"], 0, (text, args) => split(text, args, splitAt, splitWords))],
  ["rsplit", method(["sep", "maxsplit"], 0, (text, args) => split(text, args, splitRightAt, splitWordsRight))],
  ["splitlines", method(["keepends"], 0, (text, args) => list(splitLines(text, args.integer("keepends", 0) !== 0)))],
  ["startswith", method(byPlace("affix", "start", "end"), 1, (text, args) => hasAffix(text, args, "startsWith"))],
  ["endswith", method(byPlace("affix", "start", "end"), 1, (text, args) => hasAffix(text, args, "endsWith"))],
  ["replace", method(byPlace("old", "new", "count"), 2, replace)],
  ["join", method(byPlace("iterable"), 1, join)],
  ["format", (text, args, frame) => formatBraces(text, args, frame)],
  ["format_map", method(byPlace("mapping"), 1, formatMap)],
  ["find", method(byPlace("sub", "start", "end"), 1, (text, args) => place(text, args, "indexOf"))],
  ["rfind", method(byPlace("sub", "start", "end"), 1, (text, args) => place(text, args, "lastIndexOf"))],
  ["index", method(byPlace("sub", "start", "end"), 1, (text, args) => found(place(text, args, "indexOf")))],
  ["rindex", method(byPlace("sub", "start", "end"), 1, (text, args) => found(place(text, args, "lastIndexOf")))],
  ["count", method(byPlace("sub", "start", "end"), 1, count)],
  ["partition", method(byPlace("sep"), 1, (text, args) => tuple(...partition(text, args.requiredText("sep/"))))],
  ["rpartition", method(byPlace("sep"), 1, (text, args) => tuple(...partitionRight(text, args.requiredText("sep/"))))],
  ["removeprefix", method(byPlace("prefix"), 1, (text, args) => without(text, args.requiredText("prefix/")))],
  ["removesuffix", method(byPlace("suffix"), 1, (text, args) => withoutEnd(text, args.requiredText("suffix/")))],
  ["ljust", method(byPlace("width", "fill"), 1, (text, args, frame) => text + padding(text, args, frame))],
  ["rjust", method(byPlace("width", "fill"), 1, (text, args, frame) => padding(text, args, frame) + text)],
  ["center", method(byPlace("width", "fill"), 1, center)],
  ["zfill", method(byPlace("width"), 1, zeroFill)],
  ["expandtabs", method(["tabsize"], 0, expandTabs)],
  ["translate", method(byPlace("table"), 1, translate)],
  ["upper", plain((text) => text.toUpperCase())],
  ["lower", plain((text) => text.toLowerCase())],
  ["casefold", plain(caseFold)],
  ["swapcase", plain(swapCase)],
  ["title", plain(titleCase)],
  ["capitalize", plain(capitalize)],
  ["isspace", plain((text) => text !== "" && strip(text) === "")],
  ["isdigit", plain((text) => isAllOf(text, "digit"))],
  ["isdecimal", plain((text) => isAllOf(text, "decimal"))],
  ["isnumeric", plain((text) => isAllOf(text, "numeric"))],
  ["isalpha", plain((text) => isAllOf(text, "alpha"))],
  ["isalnum", plain((text) => isAllOf(text, "alnum"))],
  ["isupper", plain((text) => isAllCased(text, true))],
  ["islower", plain((text) => isAllCased(text, false))],
  ["istitle", plain(isTitle)],
  ["isascii", plain((text) => !/\P{ASCII}/u.test(text))],
  ["isidentifier", plain(isIdentifier)],
  ["isprintable", plain(isPrintable)],
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

interface Range {
  /** The text between the bounds; undefined where they leave none. */
  readonly text: string | undefined;
  /** Code points before it. */
  readonly start: number;
}

/** The part of a text that the optional bounds leave. */
function bounded(text: string, args: BoundArguments): Range {
  if (!args.has("start/")) return { text, start: 0 };
  const length = lengthOf(text);
  const clamped = (name: string, fallback: number) => {
    const given = args.integer(name, fallback);
    return given < 0 ? Math.max(0, given + length) : given;
  };
  const start = clamped("start/", 0);
  const end = Math.min(clamped("end/", length), length);
  return { text: start > end ? undefined : sliceText(text, [start, end]), start };
}

function hasAffix(text: string, args: BoundArguments, method: "startsWith" | "endsWith"): boolean {
  const wanted = affixes(args.get("affix/"));
  const range = bounded(text, args);
  for (const affix of wanted) spend(1 + affix.length / 16);
  return range.text !== undefined && wanted.some((affix) => range.text?.[method](affix));
}

/** In code points; -1 for a text that is not there. */
function place(text: string, args: BoundArguments, method: "indexOf" | "lastIndexOf"): number {
  const wanted = args.requiredText("sub/");
  const range = bounded(text, args);
  spendSearch(text, wanted);
  const at = range.text === undefined ? -1 : codePoints(range.text, range.text[method](wanted));
  return at === -1 ? -1 : at + range.start;
}

function found(at: number): number {
  if (at === -1) throw new TemplateRefusal();
  return at;
}

function count(text: string, args: BoundArguments): number {
  const part = args.requiredText("sub/");
  const range = bounded(text, args);
  return range.text === undefined ? 0 : countOf(range.text, part);
}

export function countOf(text: string, part: string): number {
  return part === "" ? lengthOf(text) + 1 : splitAt(text, part, -1).length - 1;
}

function replace(text: string, args: BoundArguments, frame: Frame): string {
  return replaced(text, args.requiredText("old/"), args.requiredText("new/"), args.integer("count/", -1), frame);
}

/** Python's `str.replace`; an empty `old` stands between all characters. */
export function replaced(text: string, old: string, by: string, limit: number, frame: Frame): string {
  frame.render.spend(text.length);
  spendSearch(text, old);
  if (old !== "" && (limit === 0 || !text.includes(old))) return text;
  const parts = old === "" ? betweenAll(text, limit) : splitAt(text, old, limit);
  frame.render.checkLength(text.length + parts.length * by.length);
  return parts.join(by);
}

/** Nothing stands before each character and at the end. */
function betweenAll(text: string, limit: number): string[] {
  const units = characters(text);
  if (limit < 0 || limit > units.length) return ["", ...units, ""];
  if (limit === 0) return [text];
  return ["", ...units.slice(0, limit - 1), units.slice(limit - 1).join("")];
}

function join(text: string, args: BoundArguments, frame: Frame): string {
  const items = frame.render.dialect.iterate(args.get("iterable/")).map((item) => {
    if (!isText(item)) throw new TemplateRefusal();
    return textOf(item);
  });
  frame.render.checkLength(items.length * text.length);
  return items.join(text);
}

function tuple(...items: readonly string[]): Value {
  return new SequenceValue("tuple", items);
}

function without(text: string, prefix: string): string {
  return prefix !== "" && text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function withoutEnd(text: string, suffix: string): string {
  return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
}

function padding(text: string, args: BoundArguments, frame: Frame): string {
  const fill = args.text("fill/") ?? " ";
  if (lengthOf(fill) !== 1) throw new TemplateRefusal();
  const missing = Math.max(0, args.integer("width/", 0) - lengthOf(text));
  frame.render.checkLength(missing);
  return fill.repeat(missing);
}

/** The odd blank goes to the left where the width is odd, too (CPython 3.11 unicodeobject.c `unicode_center`). */
function center(text: string, args: BoundArguments, frame: Frame): string {
  const fill = args.text("fill/") ?? " ";
  if (lengthOf(fill) !== 1) throw new TemplateRefusal();
  const width = args.integer("width/", 0);
  frame.render.checkLength(Math.max(0, width));
  return centered(text, width, fill);
}

function formatMap(text: string, args: BoundArguments, frame: Frame): string {
  const mapping = args.get("mapping/");
  if (!(mapping instanceof DictValue)) throw new UnsupportedTemplateError("format_map of no dict");
  const named = new Map(
    mapping.entries().flatMap(([key, value]) => (isText(key) ? [[textOf(key), value] as const] : [])),
  );
  return formatBraces(text, { positional: [], named }, frame);
}

function expandTabs(text: string, args: BoundArguments, frame: Frame): string {
  const size = args.integer("tabsize", 8);
  const tabs = text.split("\t").length - 1;
  frame.render.checkLength(text.length + tabs * Math.max(0, size));
  let column = 0;
  let result = "";
  for (const character of text) {
    if (character === "\t") {
      const width = size > 0 ? size - (column % size) : 0;
      result += " ".repeat(width);
      column += width;
    } else {
      result += character;
      column = character === "\n" || character === "\r" ? 0 : column + 1;
    }
  }
  return result;
}

/** Characters by their code points: to a text, another code point, or nothing. */
function translate(text: string, args: BoundArguments, frame: Frame): string {
  const table = args.get("table/");
  if (!(table instanceof DictValue)) throw new UnsupportedTemplateError("translate by no dict");
  let result = "";
  for (const character of text) {
    const entry = table.entryOf(character.codePointAt(0) ?? 0);
    result += entry === undefined ? character : translated(entry[1]);
    if (result.length > 1_000_000) frame.render.checkLength(result.length);
  }
  return result;
}

function translated(to: Value): string {
  if (to === null) return "";
  if (typeof to === "string") return to;
  if (typeof to !== "number") throw new TemplateRefusal();
  if (to < 0 || to > 0x10ffff || (to >= 0xd800 && to <= 0xdfff))
    throw new UnsupportedTemplateError("translate to this");
  return String.fromCodePoint(to);
}

/** Letters whose folding is another than their small letter. */
const foldedLetters = new RegExp(
  "[\\u{b5}\\u{df}\\u{130}\\u{149}\\u{17f}\\u{1f0}\\u{345}\\u{370}-\\u{3ff}\\u{587}\\u{13a0}-\\u{13ff}\\u{1c80}-\\u{1c88}\\u{1e96}-\\u{1e9f}" +
    "\\u{1f00}-\\u{1fff}\\u{ab70}-\\u{abbf}\\u{fb00}-\\u{fb17}]",
  "u",
);

/** Python's `str.casefold`, for letters whose folding is their small letter. */
function caseFold(text: string): string {
  if (foldedLetters.test(text)) throw new UnsupportedTemplateError("the folding of a letter");
  return text.toLowerCase();
}

function isIdentifier(text: string): boolean {
  refuseRecent(text);
  if (/\P{ASCII}/u.test(text)) return /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text);
  return /^[A-Za-z_]\w*$/.test(text);
}

function zeroFill(text: string, args: BoundArguments, frame: Frame): string {
  const missing = Math.max(0, args.integer("width/", 0) - lengthOf(text));
  frame.render.checkLength(missing);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + "0".repeat(missing) + text.slice(sign.length);
}
