import { UnsupportedTemplateError } from "../template-errors.ts";

const common: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  "\\": "\\",
  "'": "'",
  '"': '"',
  b: "\b",
  f: "\f",
};
const pythonOnly: Readonly<Record<string, string>> = { "\n": "", a: "\x07", v: "\v" };
const escapeSequence = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|.)/gs;

/** A string literal as Python's `unicode-escape` reads it: an unknown escape stays as it is. */
export function unescapePython(text: string): string {
  return resolve(text, { ...common, ...pythonOnly }, /[xuUN]/);
}

/** A string literal as minijinja@2.24.0 utils.rs `unescape` reads it. */
export function unescapeMinijinja(text: string): string {
  return resolve(text, { ...common, "/": "/" }, /[xu]/);
}

function resolve(text: string, simple: Readonly<Record<string, string>>, refused: RegExp): string {
  if (!text.includes("\\")) return text;
  const plain = text.replace(escapeSequence, (whole, body: string) => {
    if (/^[0-7]/.test(body)) return String.fromCharCode(Number.parseInt(body, 8));
    if (body.length > 1) return character(Number.parseInt(body.slice(1), 16));
    if (refused.test(body)) throw invalid();
    return simple[body] ?? whole;
  });
  // Half of a pair is no character; two escapes may make one.
  if (/\p{Surrogate}/u.test(plain)) throw invalid();
  return plain;
}

function character(code: number): string {
  if (code > 0x10ffff) throw invalid();
  return code <= 0xffff ? String.fromCharCode(code) : String.fromCodePoint(code);
}

function invalid(): UnsupportedTemplateError {
  return new UnsupportedTemplateError("the chat template cannot be parsed: an escape in a string");
}
