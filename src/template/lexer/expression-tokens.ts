import type { SyntaxRules } from "../dialect/dialect.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
import type { Token, TokenType } from "./token.ts";

interface ReadToken {
  readonly token: Token;
  /** Where the next one begins. */
  readonly end: number;
}

const float = /\d+(?:_\d+)*(?:(?:\.\d+(?:_\d+)*)?e[+-]?\d+(?:_\d+)*|\.\d+(?:_\d+)*)/iy;
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|\d+(?:_\d+)*/iy;
const quoted = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/sy;
const operator = /\/\/|\*\*|[=!<>]=|[-+/*%~[\](){}<>=.:|,;]/y;

/** The token at a place inside a tag. */
export function readExpressionToken(source: string, at: number, rules: SyntaxRules): ReadToken {
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  const read = (type: TokenType, text: string, length: number) => ({ token: { type, text }, end: at + length });
  const name = match(rules.nameStart);
  if (name !== null) return read("name", name[0], name[0].length);
  // minijinja takes `.0.1` for a float behind a point, and stumbles.
  const number = rules.isPythonic && source.charAt(at - 1) === "." ? null : match(float);
  if (number !== null) return read("float", number[0].replaceAll("_", ""), number[0].length);
  const digits = match(integer);
  if (digits !== null) return read("integer", digits[0].replaceAll("_", ""), digits[0].length);
  const text = match(quoted);
  if (text !== null) return read("string", rules.unescape(text[1] ?? text[2] ?? ""), text[0].length);
  const sign = match(operator);
  if (sign !== null) return read("operator", sign[0], sign[0].length);
  throw new UnsupportedTemplateError("the chat template cannot be parsed: an unexpected character");
}
