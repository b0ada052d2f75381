import type { Token, TokenType } from "../lexer/token.ts";
import { UnsupportedTemplateError } from "../template-errors.ts";

const end: Token = { type: "end", text: "" };

/** Deepest nesting of expressions and blocks that is read. */
const MAX_DEPTH = 150;

/** Tokens, one after the other. */
export class TokenStream {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#tokens[this.#at] ?? end;
  }

  get following(): Token {
    return this.#tokens[this.#at + 1] ?? end;
  }

  next(): Token {
    const token = this.current;
    this.#at++;
    return token;
  }

  isName(...names: readonly string[]): boolean {
    return this.current.type === "name" && names.includes(this.current.text);
  }

  isOperator(...operators: readonly string[]): boolean {
    return this.current.type === "operator" && operators.includes(this.current.text);
  }

  skipName(name: string): boolean {
    const isThere = this.isName(name);
    if (isThere) this.#at++;
    return isThere;
  }

  skipOperator(operator: string): boolean {
    const isThere = this.isOperator(operator);
    if (isThere) this.#at++;
    return isThere;
  }

  expect(type: TokenType): Token {
    if (this.current.type !== type) this.fail(`${type} expected`);
    return this.next();
  }

  expectName(name: string): void {
    if (!this.skipName(name)) this.fail(`${name} expected`);
  }

  expectOperator(operator: string): void {
    if (!this.skipOperator(operator)) this.fail(`${operator} expected`);
  }

  /** Reads something that may nest. */
  nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_DEPTH) this.fail("nested too deep");
    const result = read();
    this.#depth--;
    return result;
  }

  fail(detail: string): never {
    throw new UnsupportedTemplateError(`the chat template cannot be parsed: ${detail}`);
  }
}
