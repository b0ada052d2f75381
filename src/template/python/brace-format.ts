import type { Frame } from "../compile/frame.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { pythonRepr, pythonText } from "../values/text.ts";
import { type CallArguments, FloatValue, isInteger, isNumber, isText, type Value } from "../values/value.ts";
import { lengthOf } from "./code-points.ts";
import { fixed } from "./percent-format.ts";

const token = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;
const field = /^(\w*)((?:\.\w+|\[[^\]]*\])*)(?:!([rs]))?(?::(.*))?$/s;
const specification = /^(?:(.)?([<>^]))?(0)?(\d+)?(?:\.(\d+))?([sdf])?$/s;

/** Python's `str.format` with the fields that templates use: by place or name, members, `!r`, `:>8`, `:05d`, `:.2f`. */
export function formatBraces(text: string, args: CallArguments, frame: Frame): string {
  let automatic = 0;
  return text.replace(token, (whole, body: string | undefined) => {
    if (whole === "{{" || whole === "}}") return whole.charAt(0);
    const parts = body === undefined ? null : field.exec(body);
    if (parts === null) throw new TemplateRefusal();
    const [, name = "", path = "", conversion, spec = ""] = parts;
    const value = memberAt(argument(name === "" ? String(automatic++) : name, args), path, frame);
    return specified(
      conversion === "r" ? pythonRepr(value) : conversion === "s" ? pythonText(value) : value,
      spec,
      frame,
    );
  });
}

function argument(name: string, { positional, named }: CallArguments): Value {
  if (/^\d+$/.test(name)) {
    if (Number(name) >= positional.length) throw new TemplateRefusal();
    return positional[Number(name)];
  }
  if (!named.has(name)) throw new TemplateRefusal();
  return named.get(name);
}

function memberAt(value: Value, path: string, frame: Frame): Value {
  if (path === "") return value;
  if (path.startsWith(".")) throw new UnsupportedTemplateError("a member in a format");
  const key = path.slice(1, -1);
  const found = frame.render.dialect.item(value, /^\d+$/.test(key) ? Number(key) : key);
  if (found === undefined || path.lastIndexOf("[") > 0) throw new UnsupportedTemplateError("a member in a format");
  return found;
}

function specified(value: Value, spec: string, frame: Frame): string {
  if (spec === "") return pythonText(value);
  const parts = specification.exec(spec);
  if (parts === null) throw new UnsupportedTemplateError("a format");
  const [, fill = " ", align, zero, width = "0", precision, kind] = parts;
  const text = converted(value, kind, precision);
  frame.render.checkLength(Number(width));
  const isRight = (align ?? (isNumber(value) ? ">" : "<")) === ">";
  if (zero !== undefined && align === undefined) return zeroFilled(text, Number(width));
  if (align === "^") return inTheMiddle(text, Number(width), fill);
  return isRight ? text.padStart(Number(width), fill) : text.padEnd(Number(width), fill);
}

function converted(value: Value, kind: string | undefined, precision: string | undefined): string {
  if (isText(value) && (kind === undefined || kind === "s")) {
    return precision === undefined ? pythonText(value) : [...pythonText(value)].slice(0, Number(precision)).join("");
  }
  if (isInteger(value) && (kind === undefined || kind === "d") && precision === undefined) return String(value);
  if ((isInteger(value) || value instanceof FloatValue) && kind === "f") return fixed(value, Number(precision ?? 6));
  throw isText(value) || isNumber(value) ? new UnsupportedTemplateError("a format") : new TemplateRefusal();
}

function zeroFilled(text: string, width: number): string {
  const sign = text.startsWith("-") ? "-" : "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

function inTheMiddle(text: string, width: number, fill: string): string {
  const missing = Math.max(0, width - lengthOf(text));
  const left = Math.floor(missing / 2);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}

/** Python's `str.center`, which puts the odd blank to the right unless the width is odd (CPython 3.11 unicodeobject.c `unicode_center`). */
export function centered(text: string, width: number, fill = " "): string {
  const missing = Math.max(0, width - lengthOf(text));
  const left = Math.floor(missing / 2) + (missing & width & 1);
  return fill.repeat(left) + text + fill.repeat(missing - left);
}
