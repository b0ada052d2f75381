import type { BinaryOperator, SyntaxRules } from "../dialect/dialect.ts";
import { FloatValue, integer } from "../values/value.ts";
import type { ArgumentNodes, CompareOperator, Expression } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";

type Condition = "with-condition" | "without-condition";

const comparisons = new Set(["==", "!=", "<", "<=", ">", ">="]);
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

/** Reads expressions, with the precedence of jinja2@3.1.6 parser.py (minijinja's is the same). */
export class ExpressionParser {
  readonly #stream: TokenStream;
  readonly #rules: SyntaxRules;

  constructor(stream: TokenStream, rules: SyntaxRules) {
    this.#stream = stream;
    this.#rules = rules;
  }

  expression(condition: Condition = "with-condition"): Expression {
    return this.#stream.nested(() => (condition === "with-condition" ? this.#condition() : this.#or()));
  }

  /** An expression, or several with commas where the dialect takes that for a tuple. */
  expressions(condition: Condition = "with-condition"): Expression {
    const first = this.expression(condition);
    if (!this.#rules.hasTuples || !this.#stream.isOperator(",")) return first;
    return { type: "tuple", items: this.#more(first, condition) };
  }

  /** What follows a first item, after commas. */
  #more(first: Expression, condition: Condition): Expression[] {
    const items = [first];
    while (this.#stream.skipOperator(",")) {
      if (this.#isListEnd()) break;
      items.push(this.expression(condition));
    }
    return items;
  }

  #isListEnd(): boolean {
    const { type } = this.#stream.current;
    return type === "variable-end" || type === "block-end" || this.#stream.isOperator(")");
  }

  /** The right side of `set`: several values make a tuple, in minijinja a list. */
  assigned(): Expression {
    return this.#perhapsMany(this.expression());
  }

  #perhapsMany(first: Expression): Expression {
    if (!this.#stream.isOperator(",")) return first;
    return { type: this.#rules.hasTuples ? "tuple" : "list", items: this.#more(first, "with-condition") };
  }

  #condition(): Expression {
    let value = this.#or();
    while (this.#stream.skipName("if")) {
      const test = this.#or();
      const otherwise = this.#stream.skipName("else") ? this.expression() : undefined;
      value = { type: "condition", test, consequent: value, otherwise };
    }
    return value;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#stream.skipName("or")) left = { type: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#stream.skipName("and")) left = { type: "and", left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    if (!this.#stream.skipName("not")) return this.#compare();
    return { type: "not", operand: this.#stream.nested(() => this.#not()) };
  }

  #compare(): Expression {
    const first = this.#sum();
    const rest: (readonly [CompareOperator, Expression])[] = [];
    for (let operator = this.#comparison(); operator !== undefined; operator = this.#comparison()) {
      rest.push([operator, this.#sum()]);
    }
    return rest.length === 0 ? first : { type: "compare", first, rest };
  }

  #comparison(): CompareOperator | undefined {
    const { type, text } = this.#stream.current;
    if (type === "operator" && comparisons.has(text)) return this.#stream.next().text as CompareOperator;
    if (this.#stream.skipName("in")) return "in";
    if (!this.#stream.isName("not") || this.#stream.following.text !== "in") return undefined;
    this.#stream.next();
    this.#stream.next();
    return "not in";
  }

  #sum(): Expression {
    return this.#binary(["+", "-"], () => this.#concat());
  }

  #binary(operators: readonly BinaryOperator[], operand: () => Expression): Expression {
    let left = operand();
    while (this.#stream.isOperator(...operators)) {
      const operator = this.#stream.next().text as BinaryOperator;
      left = { type: "binary", operator, left, right: operand() };
    }
    return left;
  }

  #concat(): Expression {
    const parts = [this.#product()];
    while (this.#stream.skipOperator("~")) parts.push(this.#product());
    return parts.length === 1 ? (parts[0] as Expression) : { type: "concat", parts };
  }

  #product(): Expression {
    return this.#binary(["*", "/", "//", "%"], () => this.#binary(["**"], () => this.#unary()));
  }

  #unary(): Expression {
    return this.#filters(this.#signed());
  }

  #signed(): Expression {
    const sign = this.#stream.isOperator("-") ? "negative" : this.#stream.isOperator("+") ? "positive" : undefined;
    if (sign === undefined) return this.#postfix(this.#primary());
    if (sign === "positive" && !this.#rules.isPythonic) this.#stream.fail("unexpected +");
    this.#stream.next();
    return this.#postfix({ type: sign, operand: this.#stream.nested(() => this.#signed()) });
  }

  #primary(): Expression {
    const { type, text } = this.#stream.next();
    switch (type) {
      case "name":
        return constants.has(text)
          ? { type: "const", value: constants.get(text) ?? null }
          : { type: "name", name: text };
      case "string":
        return { type: "const", value: this.#adjacentStrings(text) };
      case "integer":
        return { type: "const", value: integer(BigInt(text)) };
      case "float":
        return { type: "const", value: new FloatValue(Number(text)) };
      case "operator":
        return this.#bracketed(text);
      default:
        return this.#stream.fail(`unexpected ${type}`);
    }
  }

  #adjacentStrings(first: string): string {
    return this.#stream.current.type === "string" ? this.#adjacentStrings(first + this.#stream.next().text) : first;
  }

  #bracketed(open: string): Expression {
    if (open === "[") return { type: "list", items: this.#listed("]", () => this.expression()) };
    if (open === "{") return { type: "dict", entries: this.#listed("}", () => this.#entry()) };
    if (open !== "(") return this.#stream.fail(`unexpected ${open}`);
    if (this.#stream.skipOperator(")")) return { type: this.#rules.hasTuples ? "tuple" : "list", items: [] };
    const value = this.#perhapsMany(this.expression());
    this.#stream.expectOperator(")");
    return value;
  }

  #entry(): readonly [Expression, Expression] {
    const key = this.expression();
    this.#stream.expectOperator(":");
    return [key, this.expression()];
  }

  #listed<Item>(close: string, read: () => Item): Item[] {
    const items: Item[] = [];
    while (!this.#stream.skipOperator(close)) {
      if (items.length > 0) {
        this.#stream.expectOperator(",");
        if (this.#stream.skipOperator(close)) break;
      }
      items.push(read());
    }
    return items;
  }

  #postfix(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.#stream.skipOperator(".")) node = this.#dotted(node);
      else if (this.#stream.skipOperator("[")) node = this.#subscript(node);
      else if (this.#stream.isOperator("(")) node = { type: "call", callee: node, args: this.args() };
      else return node;
    }
  }

  #dotted(object: Expression): Expression {
    const { type, text } = this.#stream.next();
    if (type === "name") return { type: "attribute", object, name: text };
    if (type !== "integer") this.#stream.fail("a member's name expected");
    return { type: "item", object, key: { type: "const", value: integer(BigInt(text)) } };
  }

  #subscript(object: Expression): Expression {
    const start = this.#stream.isOperator(":") ? undefined : this.expression();
    if (this.#stream.skipOperator("]")) {
      return start === undefined ? this.#stream.fail("an index expected") : { type: "item", object, key: start };
    }
    this.#stream.expectOperator(":");
    const stop = this.#stream.isOperator(":", "]") ? undefined : this.expression();
    const step = this.#stream.skipOperator(":") && !this.#stream.isOperator("]") ? this.expression() : undefined;
    this.#stream.expectOperator("]");
    return { type: "slice", object, bounds: [start, stop, step] };
  }

  /** `(a, b=1, *c, **d)` */
  args(): ArgumentNodes {
    this.#stream.expectOperator("(");
    const positional: Expression[] = [];
    const named: (readonly [string, Expression])[] = [];
    const spread: { list?: Expression; dict?: Expression } = {};
    this.#listed(")", () => {
      if (this.#stream.skipOperator("*")) spread.list = this.expression();
      else if (this.#stream.skipOperator("**")) spread.dict = this.expression();
      else if (this.#stream.current.type === "name" && this.#isAssignment()) named.push(this.#namedArgument());
      else if (named.length > 0 || spread.list !== undefined) this.#stream.fail("an argument after named ones");
      else positional.push(this.expression());
    });
    return { positional, named, spread: spread.list, namedSpread: spread.dict };
  }

  #isAssignment(): boolean {
    return this.#stream.following.type === "operator" && this.#stream.following.text === "=";
  }

  #namedArgument(): readonly [string, Expression] {
    const name = this.#stream.next().text;
    this.#stream.next();
    return [name, this.expression()];
  }

  /** Filters and tests that follow a value. */
  #filters(start: Expression): Expression {
    let node = start;
    for (;;) {
      if (this.#stream.skipOperator("|")) node = this.filter(node);
      else if (this.#stream.skipName("is")) node = this.#test(node);
      else if (this.#rules.isPythonic && this.#stream.isOperator("(")) {
        node = { type: "call", callee: node, args: this.args() };
      } else return node;
    }
  }

  /** A filter's name and arguments, after `|`. */
  filter(operand: Expression | undefined): Expression {
    return { type: "filter", name: this.#dottedName(), operand, args: this.#optionalArgs() };
  }

  #dottedName(): string {
    let name = this.#stream.expect("name").text;
    while (this.#stream.skipOperator(".")) name += `.${this.#stream.expect("name").text}`;
    return name;
  }

  #optionalArgs(): ArgumentNodes {
    if (this.#stream.isOperator("(")) return this.args();
    return { positional: [], named: [], spread: undefined, namedSpread: undefined };
  }

  #test(operand: Expression): Expression {
    const isNegated = this.#stream.skipName("not");
    const name = this.#dottedName();
    const args = this.#isBareArgument()
      ? { positional: [this.#bareArgument()], named: [], spread: undefined, namedSpread: undefined }
      : this.#optionalArgs();
    const test: Expression = { type: "test", name, operand, args };
    return isNegated ? { type: "not", operand: test } : test;
  }

  /** `is divisibleby 3`: an argument without brackets. */
  #isBareArgument(): boolean {
    const { type } = this.#stream.current;
    if (type === "name") return !this.#stream.isName("and", "or", "else", "is");
    return type === "string" || type === "integer" || type === "float" || this.#stream.isOperator("[", "{");
  }

  #bareArgument(): Expression {
    return this.#rules.isPythonic ? this.#postfix(this.#primary()) : this.#signed();
  }
}
