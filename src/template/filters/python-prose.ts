import type { Frame } from "../compile/frame.ts";
import type { Filter } from "../dialect/dialect.ts";
import { centered } from "../python/brace-format.ts";
import { lengthOf } from "../python/code-points.ts";
import { prettyText } from "../python/pretty-print.ts";
import { splitWords } from "../python/split.ts";
import { countWords, wrapLines } from "../python/words.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { BoundArguments, smallInteger } from "../values/arguments.ts";
import { DictValue } from "../values/dict-value.ts";
import { isTrue, pythonIterate } from "../values/iterate.ts";
import { sliceText } from "../values/slices.ts";
import { pythonText } from "../values/text.ts";
import { IteratorValue, isSequence, isText, MarkupValue, textOf, type Value } from "../values/value.ts";
import { escapeHtml } from "./escape-html.ts";
import { withLinks } from "./links.ts";
import { percentEncode } from "./percent-encode.ts";

type BoundFilter = (value: Value, args: BoundArguments, frame: Frame) => Value;

function filter(names: readonly string[], required: number, run: BoundFilter): Filter {
  return (value, args, frame) => run(value, new BoundArguments(args, names, required), frame);
}

/** Filters of running text and of markup (jinja2@3.1.6 filters.py). */
export const pythonProseFilters: readonly (readonly [string, Filter])[] = [
  ["truncate", filter(["length", "killwords", "end", "leeway"], 0, truncate)],
  ["wordwrap", filter(["width", "break_long_words", "wrapstring", "break_on_hyphens"], 0, wordWrap)],
  ["wordcount", filter([], 0, (value) => countWords(pythonText(value)))],
  ["center", filter(["width"], 0, center)],
  ["urlize", filter(["trim_url_limit", "nofollow", "target", "rel", "extra_schemes"], 0, urlize)],
  ["urlencode", filter([], 0, urlEncode)],
  ["striptags", filter([], 0, stripTags)],
  ["xmlattr", filter(["autospace"], 0, xmlAttributes)],
  ["forceescape", filter([], 0, (value) => new MarkupValue(escapeHtml(pythonText(value))))],
  ["pprint", filter([], 0, (value) => prettyText(value))],
];

/** Anything with a length that is short enough passes. */
function truncate(value: Value, args: BoundArguments): Value {
  const length = args.integer("length", 255);
  const end = args.has("end") ? args.text("end") : "...";
  if (end === undefined) throw new TemplateRefusal();
  const leeway = args.integer("leeway", 5);
  if (length < lengthOf(end) || leeway < 0) throw new TemplateRefusal();
  if (sizeOf(value) <= length + leeway) return value;
  if (!isText(value)) throw new TemplateRefusal();
  if (value instanceof MarkupValue) throw new UnsupportedTemplateError("truncating markup");
  const head = sliceText(value, [0, length - lengthOf(end)]);
  if (isTrue(args.get("killwords"))) return head + end;
  const space = head.lastIndexOf(" ");
  return (space === -1 ? head : head.slice(0, space)) + end;
}

function sizeOf(value: Value): number {
  if (value === undefined) return 0;
  if (isText(value)) return lengthOf(textOf(value));
  if (value instanceof DictValue) return value.size;
  if (!isSequence(value)) throw new TemplateRefusal();
  return value.items.length;
}

function wordWrap(value: Value, args: BoundArguments, frame: Frame): Value {
  if (!isText(value)) throw new TemplateRefusal();
  const by = args.text("wrapstring") ?? "\n";
  const width = args.integer("width", 79);
  const breaksLongWords = !args.has("break_long_words") || isTrue(args.get("break_long_words"));
  const breaksOnHyphens = !args.has("break_on_hyphens") || isTrue(args.get("break_on_hyphens"));
  const text = textOf(value);
  if (width <= 0) {
    if (text === "") return "";
    throw new TemplateRefusal();
  }
  frame.render.checkLength(text.length * (1 + by.length));
  return wrapLines(text, { width, breaksLongWords, breaksOnHyphens }).join("\n").split("\n").join(by);
}

function center(value: Value, args: BoundArguments, frame: Frame): Value {
  const width = args.integer("width", 80);
  const text = pythonText(value);
  frame.render.checkLength(text.length + Math.max(0, width));
  const result = centered(text, width);
  return value instanceof MarkupValue ? new MarkupValue(result) : result;
}

function urlize(value: Value, args: BoundArguments, frame: Frame): Value {
  const schemes = args.get("extra_schemes");
  if (schemes !== undefined && schemes !== null) throw new UnsupportedTemplateError("urlize with schemes");
  if (value instanceof MarkupValue) throw new UnsupportedTemplateError("urlize of markup");
  const words = new Set(["noopener", ...splitWords(args.text("rel") ?? "", -1)]);
  if (isTrue(args.get("nofollow"))) words.add("nofollow");
  const limit = args.get("trim_url_limit");
  const text = pythonText(value);
  frame.render.spend(text.length);
  return withLinks(text, {
    limit: limit === undefined || limit === null ? undefined : smallInteger(limit),
    rel: [...words].sort().join(" "),
    target: args.text("target") ?? "",
  });
}

function urlEncode(value: Value): Value {
  if (isText(value)) return percentEncode(textOf(value), quotedBeyondSlash);
  const isMapping = value instanceof DictValue;
  if (!isMapping && !isSequence(value) && value !== undefined && !(value instanceof IteratorValue))
    return percentEncode(pythonText(value), quotedBeyondSlash);
  const pairs = isMapping ? value.entries() : pythonIterate(value).map(pairOf);
  return pairs
    .map((pair) => pair.map((part) => percentEncode(pythonText(part), quoted).replaceAll("%20", "+")).join("="))
    .join("&");
}

function pairOf(value: Value): readonly [Value, Value] {
  const items = pythonIterate(value);
  if (items.length !== 2) throw new TemplateRefusal();
  return [items[0], items[1]];
}

/** What Python's `urllib.parse.quote` encodes. */
const quoted = /[^\w.~-]+/g;
const quotedBeyondSlash = /[^\w.~/-]+/g;

/** MarkupSafe's `striptags`, for text without references to characters. */
function stripTags(value: Value): Value {
  const text = splitWords(withoutTags(pythonText(value)), -1).join(" ");
  if (text.includes("&")) throw new UnsupportedTemplateError("references to characters");
  return text;
}

function withoutTags(text: string): string {
  let result = "";
  let from = 0;
  for (let start = text.indexOf("<"); start !== -1; start = text.indexOf("<", from)) {
    const isComment = text.startsWith("<!--", start);
    const end = isComment ? text.indexOf("-->", start + 4) : text.indexOf(">", start);
    if (end === -1) break;
    result += text.slice(from, start);
    from = end + (isComment ? 3 : 1);
  }
  return result + text.slice(from);
}

function xmlAttributes(value: Value, args: BoundArguments): Value {
  if (value === undefined || !(value instanceof DictValue)) throw new TemplateRefusal();
  const attributes = value.entries().flatMap(([key, member]) => {
    if (member === null || member === undefined) return [];
    if (!isText(key)) throw new TemplateRefusal();
    if (/[\s/>=]/.test(textOf(key))) throw new TemplateRefusal();
    return [`${escaped(key)}="${escaped(member)}"`];
  });
  const text = attributes.join(" ");
  return text !== "" && (!args.has("autospace") || isTrue(args.get("autospace"))) ? ` ${text}` : text;
}

function escaped(value: Value): string {
  return value instanceof MarkupValue ? value.text : escapeHtml(pythonText(value));
}
