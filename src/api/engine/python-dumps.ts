import { JsonNumber, type JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { Untokenizable } from "./untokenizable.ts";

/**
 * Python's `json.dumps(value)` of a value that Python has read.
 * @throws Untokenizable for numbers that are written with an exponent
 */
export function pythonDumps(value: JsonValue): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return asciiText(value);
  if (value instanceof JsonNumber) return numberText(value);
  return isList(value) ? `[${value.map(pythonDumps).join(", ")}]` : objectText(value as JsonObject);
}

function objectText(object: JsonObject): string {
  return `{${Array.from(object.entries(), ([key, member]) => `${asciiText(key)}: ${pythonDumps(member)}`).join(", ")}}`;
}

function asciiText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function numberText({ lexeme, isInteger }: JsonNumber): string {
  if (isInteger) return lexeme === "-0" ? "0" : lexeme;
  const double = Number(lexeme);
  const size = Math.abs(double);
  if (double === 0) return Object.is(double, -0) ? "-0.0" : "0.0";
  if (!(size >= 1e-4 && size < 1e16)) throw new Untokenizable("a number that Python writes with an exponent");
  return Number.isInteger(double) ? `${double}.0` : String(double);
}
