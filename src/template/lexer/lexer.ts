import type { SyntaxRules } from "../dialect/dialect.ts";
import { stripLeft, stripRight } from "../python/strip.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";
import { readExpressionToken } from "./expression-tokens.ts";
import type { Token } from "./token.ts";

const tagStart = /\{[{%#]/g;
const rawTag = /\{%[-+]?\s*raw\s*([-+]?)%\}/y;
const endRawTag = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;

/**
 * Tokens of a template, with the white space rules that chat templates are written for: `trim_blocks` and `lstrip_blocks`, and
 * no line end at the end of the source.
 * @throws UnsupportedTemplateError for a source that is no template
 */
export function tokenize(source: string, rules: SyntaxRules): Token[] {
  return new Lexer(prepared(source, rules), rules).tokens();
}

function prepared(source: string, rules: SyntaxRules): string {
  const text = rules.normalizesLineEnds ? source.replace(/\r\n?/g, "\n") : source;
  return text.replace(rules.normalizesLineEnds ? /\n$/ : /\r?\n$|\r$/, "");
}

class Lexer {
  readonly #source: string;
  readonly #rules: SyntaxRules;
  readonly #tokens: Token[] = [];
  #at = 0;
  /** The tag before ended in `-`. */
  #isTrimming = false;

  constructor(source: string, rules: SyntaxRules) {
    this.#source = source;
    this.#rules = rules;
  }

  tokens(): Token[] {
    while (this.#at < this.#source.length) {
      const start = this.#findTag();
      this.#data(start);
      if (start === this.#source.length) break;
      this.#at = start;
      this.#tag();
    }
    this.#tokens.push({ type: "end", text: "" });
    return this.#tokens;
  }

  #findTag(): number {
    tagStart.lastIndex = this.#at;
    return tagStart.exec(this.#source)?.index ?? this.#source.length;
  }

  /** The text up to a tag, without the white space that the tags around it take. */
  #data(end: number): void {
    this.#push("data", this.#trimmedEnd(this.#trimmedStart(this.#source.slice(this.#at, end)), end));
  }

  #trimmedStart(text: string): string {
    const isTrimming = this.#isTrimming;
    this.#isTrimming = false;
    return isTrimming ? stripLeft(text) : text;
  }

  #trimmedEnd(text: string, tagAt: number): string {
    const sign = this.#source.charAt(tagAt + 2);
    if (sign === "-") return stripRight(text);
    if (sign === "+" || this.#source.charAt(tagAt + 1) === "{" || tagAt >= this.#source.length) return text;
    return this.#isFirstInLine(tagAt) ? text.replace(/[^\S\n]+$/, "") : text;
  }

  #isFirstInLine(at: number): boolean {
    const before = this.#source.slice(this.#source.lastIndexOf("\n", at - 1) + 1, at);
    return stripLeft(before) === "";
  }

  #tag(): void {
    const kind = this.#source.charAt(this.#at + 1);
    rawTag.lastIndex = this.#at;
    const raw = kind === "%" ? rawTag.exec(this.#source) : null;
    if (kind === "#") this.#comment();
    else if (raw !== null) this.#raw(raw);
    else this.#tagOf(kind);
  }

  #tagOf(kind: string): void {
    this.#at += /[-+]/.test(this.#source.charAt(this.#at + 2)) ? 3 : 2;
    this.#push(kind === "{" ? "variable-begin" : "block-begin", "", true);
    this.#expression(kind === "{" ? "}}" : "%}");
  }

  #comment(): void {
    const end = this.#source.indexOf("#}", this.#at + 2);
    if (end === -1) throw syntaxError("a comment without end");
    this.#at = end + 2;
    this.#afterBlock(this.#source.charAt(end - 1));
  }

  #raw(tag: RegExpExecArray): void {
    const from = this.#at + tag[0].length;
    endRawTag.lastIndex = from;
    const end = endRawTag.exec(this.#source);
    if (end === null) throw syntaxError("a raw block without end");
    let text = this.#source.slice(from, end.index);
    if (tag[1] === "-") text = stripLeft(text);
    else if (tag[1] === "" && this.#rules.trimsAfterRaw) text = text.replace(/^\r?\n/, "");
    this.#push("data", this.#trimmedEnd(text, end.index));
    this.#at = end.index + end[0].length;
    this.#afterBlock(end[2] ?? "");
  }

  /** What follows a block loses its white space, or one line end. */
  #afterBlock(sign: string): void {
    if (sign === "-") this.#isTrimming = true;
    else if (sign !== "+") this.#skipLineEnd();
  }

  #skipLineEnd(): void {
    if (this.#source.charAt(this.#at) === "\r" && !this.#rules.normalizesLineEnds) this.#at++;
    if (this.#source.charAt(this.#at) === "\n") this.#at++;
  }

  /** Tokens up to the tag's end; inside of brackets the end is none. */
  #expression(end: "}}" | "%}"): void {
    let depth = 0;
    while (this.#at < this.#source.length) {
      const character = this.#source.charAt(this.#at);
      if (stripLeft(character) === "") this.#at++;
      else if (depth === 0 && this.#isEnd(end)) return;
      else depth += this.#expressionToken();
    }
    throw syntaxError("a tag without end");
  }

  #isEnd(end: "}}" | "%}"): boolean {
    const sign = /[-+]/.test(this.#source.charAt(this.#at)) ? this.#source.charAt(this.#at) : "";
    if (!this.#source.startsWith(end, this.#at + sign.length)) return false;
    if (end === "}}" && sign === "+" && this.#rules.isPythonic) return false;
    this.#at += sign.length + end.length;
    this.#push(end === "}}" ? "variable-end" : "block-end", "", true);
    if (end === "%}") this.#afterBlock(sign);
    else if (sign === "-") this.#isTrimming = true;
    return true;
  }

  /** @returns how much deeper in brackets the token leads */
  #expressionToken(): number {
    const { token, end } = readExpressionToken(this.#source, this.#at, this.#rules);
    this.#tokens.push(token);
    this.#at = end;
    if (token.type !== "operator") return 0;
    if ("([{".includes(token.text)) return 1;
    return ")]}".includes(token.text) ? -1 : 0;
  }

  #push(type: Token["type"], text: string, isKeptEmpty = false): void {
    if (text !== "" || isKeptEmpty) this.#tokens.push({ type, text });
  }
}

function syntaxError(detail: string): UnsupportedTemplateError {
  return new UnsupportedTemplateError(`the chat template cannot be parsed: ${detail}`);
}
