import { Buffer } from "node:buffer";
import { JsonSyntaxError, parseJson, serdeValue } from "../../json/index.ts";
import type { Frame } from "../compile/frame.ts";
import type { Filter } from "../dialect/dialect.ts";
import { capitalize, titleCase } from "../methods/cases.ts";
import { optionalInteger, optionalText, requiredText } from "../methods/minijinja-strings.ts";
import { replaced } from "../methods/python-strings.ts";
import { lengthOf } from "../python/code-points.ts";
import { floatText } from "../python/float.ts";
import { dumpJson } from "../python/json-dump.ts";
import { formatPercent } from "../python/percent-format.ts";
import { splitAt, splitWords } from "../python/split.ts";
import { strip } from "../python/strip.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { flatArguments, withKeywords } from "../values/arguments.ts";
import { numeric } from "../values/compare.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue } from "../values/iterate.ts";
import { jsonConversion, serdeNumber } from "../values/json.ts";
import { minijinjaItem } from "../values/minijinja-members.ts";
import { minijinjaText } from "../values/text.ts";
import {
  FloatValue,
  integer,
  isInteger,
  isSequence,
  isText,
  list,
  MarkupValue,
  SequenceValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { type FlatFilter, minijinjaListFilters } from "./minijinja-lists.ts";
import { percentEncode } from "./percent-encode.ts";

function filter(most: number, run: FlatFilter): Filter {
  return (value, args, frame) => {
    const flat = flatArguments(args);
    if (flat.length > most) throw new TemplateRefusal();
    return run(value, flat, frame);
  };
}

/** A filter of text, which keeps the mark of text that is marked; everything else is printed first. */
function ofText(most: number, run: (text: string, args: readonly Value[], frame: Frame) => string): Filter {
  return filter(most, (value, args, frame) => {
    if (value instanceof DictValue && value.isKeywords) throw new TemplateRefusal();
    const text = minijinjaText(value);
    frame.render.spend(text.length / 16);
    const result = run(text, args, frame);
    return value instanceof MarkupValue ? new MarkupValue(result) : result;
  });
}

/** Filters of minijinja@2.24.0, with those of dynamo-renderer@8.0.3 formatters.rs in their place. */
export const minijinjaFilters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...minijinjaListFilters.map(([name, most, run]): [string, Filter] => [name, filter(most, run)]),
  ["length", filter(0, (value) => sizeOf(value) ?? 0)],
  ["count", filter(0, (value) => sizeOf(value) ?? refuse())],
  [
    "trim",
    ofText(1, (text, [characters]) =>
      strip(text, characters === undefined || characters === null ? undefined : minijinjaText(characters)),
    ),
  ],
  ["upper", ofText(0, (text) => text.toUpperCase())],
  ["lower", ofText(0, (text) => text.toLowerCase())],
  ["title", filter(0, (value) => titleCase(minijinjaText(value)))],
  ["capitalize", ofText(0, capitalize)],
  ["replace", filter(2, replace)],
  [
    "string",
    filter(0, (value) =>
      isText(value) ? value : value instanceof FloatValue ? floatText(value.value) : minijinjaText(value),
    ),
  ],
  ["safe", filter(0, (value) => new MarkupValue(minijinjaText(value)))],
  ["escape", filter(0, escaped)],
  ["e", filter(0, escaped)],
  ["default", filter(2, orElse)],
  ["d", filter(2, orElse)],
  ["tojson", filter(1, toJson)],
  ["fromjson", filter(0, fromJson)],
  ["from_json", filter(0, fromJson)],
  ["int", filter(0, toInteger)],
  ["float", filter(0, toFloat)],
  ["abs", filter(0, absolute)],
  ["round", filter(1, round)],
  ["bool", filter(0, isTrue)],
  ["split", filter(2, split)],
  ["attr", filter(1, (value, [key]) => minijinjaItem(value, key))],
  ["indent", ofText(4, indent)],
  ["format", filter(100, format)],
  ["lines", filter(0, lines)],
  ["urlencode", filter(0, urlEncode)],
  ["pprint", unknown("pprint")],
]);

function unknown(name: string): Filter {
  return () => {
    throw new UnsupportedTemplateError(`filter ${name}`);
  };
}

function refuse(): never {
  throw new TemplateRefusal();
}

function sizeOf(value: Value): number | undefined {
  if (isSequence(value)) return value.items.length;
  if (value instanceof DictValue) return value.size;
  return isText(value) ? lengthOf(textOf(value)) : undefined;
}

function replace(value: Value, args: readonly Value[], frame: Frame): Value {
  if (args.length !== 2) throw new TemplateRefusal();
  return replaced(minijinjaText(value), minijinjaText(args[0]), minijinjaText(args[1]), -1, frame);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&#x27;",
  '"': "&quot;",
  "/": "&#x2f;",
};

function escaped(value: Value): Value {
  if (value instanceof MarkupValue) return value;
  if (isSequence(value) || value instanceof DictValue) throw new UnsupportedTemplateError("escaping a list or map");
  return new MarkupValue(minijinjaText(value).replace(/[&<>'"/]/g, (sign) => entities[sign] ?? sign));
}

const encodedInUrls = /[^0-9A-Za-z/._-]+/g;

function urlEncode(value: Value): Value {
  if (value instanceof DictValue)
    return value
      .entries()
      .filter(([, member]) => member !== null && member !== undefined)
      .map((pair) => pair.map((part) => percentEncode(minijinjaText(part), encodedInUrls)).join("="))
      .join("&");
  return value === null ? "" : percentEncode(minijinjaText(value), encodedInUrls);
}

function orElse(value: Value, args: readonly Value[]): Value {
  const fallback = args.length > 0 ? args[0] : "";
  return value === undefined || (args.length > 1 && isTrue(args[1]) && !isTrue(value)) ? fallback : value;
}

function toJson(value: Value, args: readonly Value[], frame: Frame): Value {
  const { values, keywords } = withKeywords(args);
  if (values.length > 0) throw new TemplateRefusal();
  const given = keywords?.get("indent");
  const width = given === undefined || given === null ? undefined : numeric(given);
  const isIndented = width !== undefined && Number.isSafeInteger(Number(width)) && width >= 0;
  if (isIndented) frame.render.checkLength(Number(width));
  const text = dumpJson(value, {
    takesUndefined: true,
    indent: isIndented ? " ".repeat(Number(width)) : undefined,
    itemSeparator: isIndented ? "," : ", ",
    keySeparator: ": ",
    isAscii: false,
    nonFinite: () => "null",
  });
  frame.render.checkLength(text.length);
  return new MarkupValue(text);
}

const fromSerde = jsonConversion(serdeNumber);

function fromJson(value: Value): Value {
  if (!isText(value)) return value;
  try {
    return fromSerde(serdeValue(parseJson(Buffer.from(textOf(value)), { maxDepth: 127, finiteNumbers: true })));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return refuse();
    throw error;
  }
}

const rustFloat = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function toInteger(value: Value): Value {
  if (value === undefined || value === null) return 0;
  if (value instanceof FloatValue) return truncated(value.value);
  const number = numeric(value);
  if (number !== undefined) return number;
  const text = requiredText(value);
  if (/^[+-]?\d{1,30}$/.test(text)) return integer(BigInt(text.replace("+", "")));
  return /^[+-]?\d{1,1000}$/.test(text) ? saturated(BigInt(text.replace("+", ""))) : truncated(parsedFloat(text));
}

const mostOfInteger = 2n ** 127n - 1n;

/** The nearest integer of 128 bits. */
function saturated(value: bigint): Value {
  if (value > mostOfInteger) return integer(mostOfInteger);
  return integer(value < -mostOfInteger ? -mostOfInteger - 1n : value);
}

function truncated(value: number): Value {
  if (Number.isNaN(value)) return 0;
  if (Math.abs(value) >= 2 ** 200) return saturated(value < 0 ? -mostOfInteger - 2n : mostOfInteger + 2n);
  return saturated(BigInt(Math.trunc(value)));
}

function parsedFloat(text: string): number {
  if (/^[+-]?(?:inf|infinity|nan)$/i.test(text)) throw new UnsupportedTemplateError("a float that is no number");
  if (!rustFloat.test(text)) throw new TemplateRefusal();
  return Number(text);
}

function toFloat(value: Value): Value {
  if (value === undefined || value === null) return new FloatValue(0);
  const number = numeric(value);
  return new FloatValue(number === undefined ? parsedFloat(requiredText(value)) : Number(number));
}

function absolute(value: Value): Value {
  if (value instanceof FloatValue) return new FloatValue(Math.abs(value.value));
  if (!isInteger(value)) throw new TemplateRefusal();
  return value < 0 ? integer(-BigInt(value)) : value;
}

function round(value: Value, [precision]: readonly Value[]): Value {
  const scale = 10 ** (optionalInteger(precision) ?? 0);
  if (isInteger(value)) return value;
  if (!(value instanceof FloatValue)) throw new TemplateRefusal();
  const scaled = scale * value.value;
  const whole = Math.trunc(scaled);
  // Rust rounds halves away from zero.
  return new FloatValue((Math.abs(scaled - whole) >= 0.5 ? whole + Math.sign(scaled) : whole) / scale);
}

function split(value: Value, args: readonly Value[]): Value {
  const separator = optionalText(args[0]);
  const limit = optionalInteger(args[1]) ?? -1;
  const text = requiredText(value);
  if (separator === "" || (separator === undefined && hasOddSpace(text)))
    throw new UnsupportedTemplateError("splitting so");
  return list(separator === undefined ? splitWords(text, limit) : splitAt(text, separator, limit));
}

/** Rust's lines: a line end at the end begins no further one. */
function lines(value: Value): Value {
  const all = requiredText(value).split("\n");
  const last = all.pop() ?? "";
  const ended = all.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  const items = last === "" ? ended : [...ended, last];
  return list(value instanceof MarkupValue ? items.map((line) => new MarkupValue(line)) : items);
}

/** What Python takes for white space and Rust does not. */
function hasOddSpace(text: string): boolean {
  return ["\x1c", "\x1d", "\x1e", "\x1f"].some((character) => text.includes(character));
}

function indent(text: string, args: readonly Value[], frame: Frame): string {
  const { values, keywords } = withKeywords(args);
  const width = optionalInteger(values[0] ?? keywords?.get("width")) ?? 4;
  const indentsFirst = isTrue(values[1] ?? keywords?.get("first"));
  const indentsBlank = isTrue(values[2] ?? keywords?.get("blank"));
  const lines = withoutLineEnd(text).split("\n");
  frame.render.checkLength(lines.length * width);
  const by = " ".repeat(width);
  const indented = lines.map((line, at) => {
    if (at === 0 && !indentsFirst) return line;
    return line === "" && !indentsBlank ? "" : by + line;
  });
  return withoutLineEnd(`${indented.join("\n")}\n`);
}

function withoutLineEnd(text: string): string {
  const shorter = text.endsWith("\n") ? text.slice(0, -1) : text;
  return shorter.endsWith("\r") ? shorter.slice(0, -1) : shorter;
}

function format(value: Value, args: readonly Value[]): Value {
  if (args.some((item) => !isText(item) && !isInteger(item))) throw new UnsupportedTemplateError("formatting this");
  return formatPercent(requiredText(value), new SequenceValue("tuple", args), true);
}
