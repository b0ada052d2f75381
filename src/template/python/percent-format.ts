import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { numeric } from "../values/compare.ts";
import { DictValue } from "../values/dict-value.ts";
import { pythonRepr, pythonText } from "../values/text.ts";
import { FloatValue, isInteger, isSequence, type Value } from "../values/value.ts";
import { characters } from "./code-points.ts";

const directive = /%(?:\((\w+)\))?([-+ 0#]*)(\d*)(?:\.(\d+))?([a-zA-Z%])/g;

/**
 * Python's `text % value`, for the directives that templates use: `%s`, `%r`, `%d`, `%x`, `%.2f`, `%%`, with a width.
 * @param takesMore whether values that no directive takes are fine
 */
export function formatPercent(text: string, value: Value, takesMore = false): string {
  const items = isSequence(value) && value.type === "tuple" ? value.items : [value];
  const mapping = value instanceof DictValue ? value : undefined;
  if (text.replace(directive, "").includes("%")) throw new TemplateRefusal();
  let used = 0;
  let isNamed = false;
  const result = text.replace(
    directive,
    (_, name: string | undefined, flags: string, width: string, precision: string | undefined, kind: string) => {
      if (kind === "%") return "%";
      isNamed ||= name !== undefined;
      const item = name === undefined ? next(items, used++) : member(mapping, name);
      return padded(converted(kind, item, precision), flags, Number(width || 0));
    },
  );
  const takesNone =
    takesMore || value === undefined || mapping !== undefined || (isSequence(value) && value.type !== "tuple");
  const isUsedUp = isNamed || used === items.length || takesMore || (takesNone && used === 0);
  if (!isUsedUp) throw new TemplateRefusal();
  return result;
}

function next(items: readonly Value[], at: number): Value {
  if (at >= items.length) throw new TemplateRefusal();
  return items[at];
}

function member(mapping: DictValue | undefined, name: string): Value {
  if (mapping?.has(name) !== true) throw new TemplateRefusal();
  return mapping.get(name);
}

function converted(kind: string, value: Value, precision: string | undefined): string {
  switch (kind) {
    case "s":
      return cut(pythonText(value), precision);
    case "r":
      return cut(pythonRepr(value), precision);
    case "d":
    case "i":
      return String(whole(value));
    case "x":
      return whole(value).toString(16);
    case "f":
      return fixed(value, Number(precision ?? 6));
    default:
      throw new UnsupportedTemplateError("a directive of %");
  }
}

function cut(text: string, precision: string | undefined): string {
  return precision === undefined ? text : characters(text).slice(0, Number(precision)).join("");
}

function whole(value: Value): bigint {
  if (value instanceof FloatValue) return BigInt(Math.trunc(value.value));
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  return BigInt(number);
}

/** Python's `f` with a precision: the exact value, rounded half to even. */
export function fixed(value: Value, precision: number): string {
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  // `toFixed` is exact for less than 1e21, and rounds exact halves up.
  const isExactHalf = !isInteger(value) && (Number(number) * 10 ** precision * 2) % 2 === 1;
  if (Math.abs(Number(number)) >= 1e21 || precision > 20 || isExactHalf)
    throw new UnsupportedTemplateError("rounding a float");
  return Number(number).toFixed(precision);
}

function padded(text: string, flags: string, width: number): string {
  if (/[+ #]/.test(flags) || width > 10_000) throw new UnsupportedTemplateError("a flag of %");
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  const sign = text.startsWith("-") ? "-" : "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}
