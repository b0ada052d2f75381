import { UnsupportedTemplateError } from "../template-errors.ts";

/** A float as Python's `float` reads a text; undefined when it is none. @param text without white space at its ends */
export function pythonFloat(text: string): number | undefined {
  if (/\P{ASCII}/u.test(text) && /\p{Nd}/u.test(text.replace(/[0-9]/g, "")))
    throw new UnsupportedTemplateError("digits beyond ASCII");
  const word = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (word !== null) return word[2]?.toLowerCase() === "nan" ? Number.NaN : word[1] === "-" ? -Infinity : Infinity;
  return /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i.test(text)
    ? Number(text.replaceAll("_", ""))
    : undefined;
}

/** Python's `repr` of a float: the shortest digits, an exponent from 1e16 and under 1e-4. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16)) return exponentText(value);
  const digits = String(value);
  return digits.includes(".") ? digits : `${digits}.0`;
}

function exponentText(value: number): string {
  const [mantissa = "", exponent = ""] = value.toExponential().split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${mantissa}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}

/** Rust's `{}` of an f64, with minijinja's `.0`: the shortest digits, never an exponent. */
export function rustFloatText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  const text = plainDigits(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** Rust's `{:?}` of an f64: an exponent from 1e16 and under 1e-4. */
export function rustFloatDebug(value: number): string {
  const magnitude = Math.abs(value);
  const hasExponent = Number.isFinite(value) && magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  return hasExponent ? value.toExponential().replace("e+", "e") : rustFloatText(value);
}

function plainDigits(value: number): string {
  if (Object.is(value, -0)) return "-0";
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const sign = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  const point = Number(exponent) + 1;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits + "0".repeat(point - digits.length);
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
