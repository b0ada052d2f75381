import { UnsupportedTemplateError } from "../template-errors.ts";
import { characters } from "./code-points.ts";
import { recentCharacters } from "./recent-characters.generated.ts";

const plain = /^[\x20-\x7e]*$/;
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Zs}]/u;
const extending = /\p{Grapheme_Extend}/u;

/** Unicode 17 is what the Dynamo frontend was built with (observed for every code point), and what Node 24 knows. */
const isUnicode17 = /\p{L}/u.test("\u0c5c");

const pythonEscapes: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const rustEscapes: Readonly<Record<string, string>> = { ...pythonEscapes, '"': '\\"', "\0": "\\0" };

/** Python's `repr` of a string. */
export function pythonQuote(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escapes = quote === "'" ? { ...pythonEscapes, "'": "\\'" } : pythonEscapes;
  return quote + escaped(text, escapes, isPrintableCharacter, pythonEscape) + quote;
}

/** Rust's `{:?}` of a string, as the Dynamo frontend's. */
export function rustQuote(text: string): string {
  const isKnown = isUnicode17 ? (character: string) => !unprintable.test(character) : isPrintableCharacter;
  const isShown = (character: string) => isKnown(character) && !extending.test(character);
  return `"${escaped(text, rustEscapes, isShown, rustEscape)}"`;
}

function escaped(
  text: string,
  escapes: Readonly<Record<string, string>>,
  isShown: (character: string) => boolean,
  spell: (code: number) => string,
): string {
  if (plain.test(text) && !/["'\\]/.test(text)) return text;
  let result = "";
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    result += escapes[character] ?? (code === 0x20 || isShown(character) ? character : spell(code));
  }
  return result;
}

/** Python's `str.isprintable`. */
export function isPrintable(text: string): boolean {
  return characters(text).every((character) => character === " " || isPrintableCharacter(character));
}

function isPrintableCharacter(character: string): boolean {
  // Whether such a character is known there depends on the version of Unicode.
  if (recentCharacters.test(character)) throw new UnsupportedTemplateError("quoting a recent character");
  return !unprintable.test(character);
}

function pythonEscape(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

function rustEscape(code: number): string {
  return `\\u{${code.toString(16)}}`;
}
