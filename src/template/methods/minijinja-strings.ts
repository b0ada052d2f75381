import { Buffer } from "node:buffer";
import type { Frame } from "../compile/frame.ts";
import { formatBraces } from "../python/brace-format.ts";
import { splitAt, splitLines, splitWords } from "../python/split.ts";
import { strip, stripLeft, stripRight } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { withKeywords } from "../values/arguments.ts";
import { numeric } from "../values/compare.ts";
import { isInteger, isSequence, isText, list, textOf, type Value } from "../values/value.ts";
import { spend, spendSearch } from "../work.ts";
import { capitalize, refuseUnknownLetters, titleCase } from "./cases.ts";
import { replaced } from "./python-strings.ts";

export type FlatMethod = (text: string, args: readonly Value[], frame: Frame) => Value;

/** @param most the most arguments */
function method(most: number, run: FlatMethod): FlatMethod {
  return (text, args, frame) => {
    if (args.length > most) throw new TemplateRefusal();
    return run(text, args, frame);
  };
}

function all(pattern: RegExp): FlatMethod {
  return method(0, (text) => {
    refuseUnknownLetters(text);
    return pattern.test(text);
  });
}

/** minijinja-contrib@2.24.0 pycompat.rs, with the changes of dynamo-renderer@8.0.3 tokcfg.rs `python_methods`. */
export const minijinjaStringMethods: ReadonlyMap<string, FlatMethod> = new Map<string, FlatMethod>([
  ["strip", method(1, (text, args) => strip(text, optionalText(args[0])))],
  ["lstrip", method(1, (text, args) => stripLeft(text, optionalText(args[0])))],
  ["rstrip", method(1, (text, args) => stripRight(text, optionalText(args[0])))],
  ["split", method(2, split)],
  ["splitlines", method(1, (text, [keepsEnds]) => list(splitLines(text, optionalFlag(keepsEnds))))],
  ["startswith", method(1, (text, [prefix]) => affixes(prefix).some((affix) => text.startsWith(affix)))],
  ["endswith", method(1, (text, [suffix]) => affixes(suffix).some((affix) => text.endsWith(affix)))],
  ["replace", method(3, replace)],
  ["join", method(1, join)],
  ["format", format],
  ["find", method(1, (text, [part]) => byteOffset(text, text.indexOf(searched(text, part))))],
  ["rfind", method(1, (text, [part]) => byteOffset(text, text.lastIndexOf(searched(text, part))))],
  ["count", method(1, (text, [part]) => count(text, requiredText(part)))],
  ["upper", method(0, (text) => text.toUpperCase())],
  ["lower", method(0, (text) => text.toLowerCase())],
  ["title", method(0, titleCase)],
  ["capitalize", method(0, (text) => capitalize(text))],
  ["isspace", method(0, (text) => text !== "" && strip(text) === "")],
  ["isdigit", all(/^\p{N}*$/u)],
  ["isnumeric", all(/^\p{N}*$/u)],
  ["isalpha", all(/^\p{Alphabetic}*$/u)],
  ["isalnum", all(/^[\p{Alphabetic}\p{N}]*$/u)],
  ["isupper", all(/^\p{Uppercase}*$/u)],
  ["islower", all(/^\p{Lowercase}*$/u)],
  ["isascii", method(0, (text) => !/\P{ASCII}/u.test(text))],
]);

export function requiredText(value: Value): string {
  if (!isText(value)) throw new TemplateRefusal();
  return textOf(value);
}

export function optionalText(value: Value): string | undefined {
  return value === undefined || value === null ? undefined : requiredText(value);
}

function optionalFlag(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value !== "boolean") throw new TemplateRefusal();
  return value;
}

export function optionalInteger(value: Value): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = numeric(value);
  if (number === undefined || !Number.isSafeInteger(Number(number))) throw new TemplateRefusal();
  return Number(number);
}

function split(text: string, args: readonly Value[]): Value {
  const separator = optionalText(args[0]);
  const limit = optionalInteger(args[1]) ?? -1;
  if (separator === "") throw new UnsupportedTemplateError("splitting at nothing");
  return list(separator === undefined ? splitWords(text, limit) : splitAt(text, separator, limit));
}

function affixes(value: Value): readonly string[] {
  if (isText(value)) return [textOf(value)];
  if (!isSequence(value)) throw new TemplateRefusal();
  return value.items.map((item) => {
    const affix = requiredText(item);
    spend(1 + affix.length / 16);
    return affix;
  });
}

function replace(text: string, args: readonly Value[], frame: Frame): string {
  return replaced(text, requiredText(args[0]), requiredText(args[1]), optionalInteger(args[2]) ?? -1, frame);
}

function join(text: string, args: readonly Value[], { render }: Frame): string {
  if (args.length !== 1) throw new TemplateRefusal();
  const items = render.dialect.iterate(args[0]).map((item) => String(render.dialect.concat([item])));
  render.checkLength(items.length * text.length);
  return items.join(text);
}

/** Its fields are Python's; how it writes anything but texts and integers is its own. */
function format(text: string, args: readonly Value[], frame: Frame): string {
  const { values, keywords } = withKeywords(args);
  const named = new Map(keywords?.entries().map(([name, value]) => [requiredText(name), value]));
  if ([...values, ...named.values()].some((value) => !isText(value) && !isInteger(value)))
    throw new UnsupportedTemplateError("formatting this");
  return formatBraces(text, { positional: values, named }, frame);
}

/** The text to look for, its search counted. */
function searched(text: string, part: Value): string {
  const wanted = requiredText(part);
  spendSearch(text, wanted);
  return wanted;
}

/** Places are counted in bytes there. */
function byteOffset(text: string, at: number): number {
  return at === -1 ? -1 : Buffer.byteLength(text.slice(0, at));
}

function count(text: string, part: string): number {
  if (part === "") throw new UnsupportedTemplateError("counting nothing");
  return splitAt(text, part, -1).length - 1;
}
