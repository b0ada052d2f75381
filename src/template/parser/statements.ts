import type { SyntaxRules } from "../dialect/dialect.ts";
import type { Token } from "../lexer/token.ts";
import type { Body, Expression, Parameters, Statement, Target } from "./ast.ts";
import { ExpressionParser } from "./expressions.ts";
import { TokenStream } from "./token-stream.ts";

const reserved = new Set(["true", "True", "false", "False", "none", "None"]);

/** Blocks that use other templates, or escape: with the names of their ends, where they have one. */
const unknownBlocks: Readonly<Record<string, string>> = {
  ...{ include: "", import: "", from: "", extends: "" },
  ...{ block: "endblock", autoescape: "endautoescape" },
};

/**
 * Reads a template.
 * @throws UnsupportedTemplateError for what is no template
 */
export function parseTemplate(tokens: readonly Token[], rules: SyntaxRules): Body {
  const parser = new StatementParser(new TokenStream(tokens), rules);
  return parser.template();
}

class StatementParser {
  readonly #stream: TokenStream;
  readonly #rules: SyntaxRules;
  readonly #expressions: ExpressionParser;

  constructor(stream: TokenStream, rules: SyntaxRules) {
    this.#stream = stream;
    this.#rules = rules;
    this.#expressions = new ExpressionParser(stream, rules);
  }

  template(): Body {
    const body = this.#body([]);
    this.#stream.expect("end");
    return body;
  }

  /** Statements up to the block of one of the names, which is left unread after `{%`. */
  #body(ends: readonly string[]): Body {
    const body: Statement[] = [];
    for (;;) {
      const { type, text } = this.#stream.current;
      if (type === "end") {
        if (ends.length > 0) this.#stream.fail(`${ends.join(" or ")} expected`);
        return body;
      }
      this.#stream.next();
      if (type === "data") body.push({ type: "data", text });
      else if (type === "variable-begin") body.push(this.#output());
      else if (this.#stream.isName(...ends)) return body;
      else body.push(...this.#stream.nested(() => this.#block()));
    }
  }

  #output(): Statement {
    const value = this.#expressions.expressions();
    this.#stream.expect("variable-end");
    return { type: "output", value };
  }

  #block(): readonly Statement[] {
    const name = this.#stream.expect("name").text;
    const statements = this.#statement(name);
    this.#stream.expect("block-end");
    return statements;
  }

  #statement(name: string): readonly Statement[] {
    switch (name) {
      case "if":
        return [this.#if(false)];
      case "for":
        return [this.#for()];
      case "set":
        return [this.#set()];
      case "macro":
        return [this.#macro()];
      case "call":
        return [this.#callBlock()];
      case "filter":
        return [this.#filterBlock()];
      case "with":
        return [this.#with()];
      case "generation":
        return [{ type: "with", assignments: [], body: this.#simpleBody("endgeneration"), isGeneration: true }];
      case "break":
      case "continue":
        return [{ type: name }];
      default:
        return this.#dialectStatement(name);
    }
  }

  #dialectStatement(name: string): readonly Statement[] {
    if (name === "do" && !this.#rules.isPythonic) return [{ type: "do", value: this.#expressions.expression() }];
    if (name === "print" && this.#rules.isPythonic) return this.#print();
    const end = unknownBlocks[name];
    return end === undefined ? this.#stream.fail(`block ${name}`) : [this.#unknown(name, end)];
  }

  /** A block of Jinja's that only prompts of other templates need: it is known where it ends, and no render that comes to it is. */
  #unknown(name: string, end: string): Statement {
    this.#skipTag();
    if (end !== "") {
      this.#simpleBody(end);
      this.#skipTag();
    }
    return { type: "unknown", name };
  }

  #skipTag(): void {
    while (!["block-end", "end"].includes(this.#stream.current.type)) this.#stream.next();
  }

  #print(): readonly Statement[] {
    const outputs: Statement[] = [];
    do outputs.push({ type: "output", value: this.#expressions.expression() });
    while (this.#stream.skipOperator(","));
    return outputs;
  }

  /** A body with its end, when nothing stands in its tags. */
  #simpleBody(end: string): Body {
    this.#stream.expect("block-end");
    const body = this.#body([end]);
    this.#stream.expectName(end);
    return body;
  }

  #if(isElif: boolean): Statement {
    const test = this.#expressions.expressions("without-condition");
    this.#stream.expect("block-end");
    const consequent = this.#body(["elif", "else", "endif"]);
    return { type: "if", test, consequent, otherwise: this.#otherwise(), isElif };
  }

  #otherwise(): Body {
    const { text } = this.#stream.next();
    if (text === "elif") return [this.#stream.nested(() => this.#if(true))];
    return text === "else" ? this.#simpleBody("endif") : [];
  }

  #for(): Statement {
    const target = this.#target();
    this.#stream.expectName("in");
    const items = this.#expressions.expressions("without-condition");
    const test = this.#stream.skipName("if") ? this.#expressions.expression() : undefined;
    const isRecursive = this.#stream.skipName("recursive");
    this.#stream.expect("block-end");
    const body = this.#body(["endfor", "else"]);
    const otherwise = this.#stream.next().text === "else" ? this.#simpleBody("endfor") : [];
    return { type: "for", target, items, test, isRecursive, body, otherwise };
  }

  #set(): Statement {
    const target = this.#target();
    if (this.#stream.skipOperator("=")) return { type: "set", target, value: this.#expressions.assigned() };
    let filter: Expression | undefined;
    while (this.#stream.skipOperator("|")) filter = this.#expressions.filter(filter);
    return { type: "set-block", target, filter, body: this.#simpleBody("endset") };
  }

  #macro(): Statement {
    const name = this.#stream.expect("name").text;
    const parameters = this.#parameters();
    return { type: "macro", name, parameters, body: this.#simpleBody("endmacro") };
  }

  #parameters(): Parameters {
    const names: string[] = [];
    const defaults: Expression[] = [];
    this.#stream.expectOperator("(");
    while (!this.#stream.skipOperator(")")) {
      if (names.length > 0) {
        this.#stream.expectOperator(",");
        if (!this.#rules.isPythonic && this.#stream.skipOperator(")")) break;
      }
      names.push(this.#stream.expect("name").text);
      if (this.#stream.skipOperator("=")) defaults.push(this.#expressions.expression());
      else if (defaults.length > 0) this.#stream.fail("a parameter without default after one that has it");
    }
    return { names, defaults };
  }

  #callBlock(): Statement {
    const parameters = this.#stream.isOperator("(") ? this.#parameters() : { names: [], defaults: [] };
    const call = this.#expressions.expression();
    if (call.type !== "call") return this.#stream.fail("a call expected");
    return { type: "call-block", parameters, call, body: this.#simpleBody("endcall") };
  }

  #filterBlock(): Statement {
    let filter = this.#expressions.filter(undefined);
    while (this.#stream.skipOperator("|")) filter = this.#expressions.filter(filter);
    return { type: "filter-block", filter, body: this.#simpleBody("endfilter") };
  }

  #with(): Statement {
    const assignments: (readonly [Target, Expression])[] = [];
    while (this.#stream.current.type !== "block-end") {
      if (assignments.length > 0) this.#stream.expectOperator(",");
      const target = this.#target();
      this.#stream.expectOperator("=");
      assignments.push([target, this.#expressions.expression()]);
    }
    return { type: "with", assignments, body: this.#simpleBody("endwith"), isGeneration: false };
  }

  #target(): Target {
    const items: Target[] = [this.#singleTarget()];
    let isTuple = false;
    while (this.#stream.skipOperator(",")) {
      isTuple = true;
      if (this.#stream.isName("in") || this.#stream.isOperator(")", "=")) break;
      items.push(this.#singleTarget());
    }
    return isTuple ? { type: "targets", items } : (items[0] as Target);
  }

  #singleTarget(): Target {
    if (this.#stream.skipOperator("(")) {
      const inner = this.#target();
      this.#stream.expectOperator(")");
      return inner;
    }
    const name = this.#stream.expect("name").text;
    if (reserved.has(name)) this.#stream.fail("an assignment to a constant");
    let object: Expression = { type: "name", name };
    let member: string | undefined;
    while (this.#stream.skipOperator(".")) {
      if (member !== undefined) object = { type: "attribute", object, name: member };
      member = this.#stream.expect("name").text;
    }
    return member === undefined ? { type: "name", name } : { type: "member", object, name: member };
  }
}
