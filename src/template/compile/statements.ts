import type { Dialect } from "../dialect/dialect.ts";
import type { Body, Expression, Statement } from "../parser/ast.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { isText, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import { breaking, continuing, type Evaluate, type Execute, finished, type Signal } from "./evaluate.ts";
import { ExpressionCompiler } from "./expressions.ts";
import { clear } from "./frame.ts";
import { compileLoop } from "./loops.ts";
import { compileCallBlock, compileMacro } from "./macros.ts";
import { nodeCount } from "./node-count.ts";
import { compileOutput } from "./output.ts";
import type { InnerRegion, Region } from "./region.ts";
import { namesSetIn, type Scope, targetNames } from "./scope.ts";
import { Symbols } from "./symbols.ts";
import { type Assign, compileAssign } from "./variables.ts";

type Of<Type extends Statement["type"]> = Extract<Statement, { readonly type: Type }>;

/** What a loop has printed is lost, or worse, when it is left from inside of such a block. */
function finish(signal: Signal): void {
  if (signal !== finished) throw new UnsupportedTemplateError("a loop that is left from inside of a block");
}

/** Compiles the statements of one region. */
export class StatementCompiler implements Region {
  readonly scope: Scope;
  readonly dialect: Dialect;
  readonly expressions: ExpressionCompiler;

  constructor(scope: Scope, dialect: Dialect) {
    this.scope = scope;
    this.dialect = dialect;
    this.expressions = new ExpressionCompiler(scope, dialect);
  }

  body(statements: Body): Execute {
    const compiled = statements.map((statement) => this.#statement(statement));
    const steps = statements.reduce((sum, statement) => sum + nodeCount(statement), 0);
    const [first, second, third] = compiled;
    if (first === undefined) return () => finished;
    if (second === undefined) {
      return (frame) => {
        spend(steps);
        return first(frame);
      };
    }
    if (third === undefined) {
      return (frame) => {
        spend(steps);
        return first(frame) || second(frame);
      };
    }
    if (compiled.length === 3) {
      return (frame) => {
        spend(steps);
        return first(frame) || second(frame) || third(frame);
      };
    }
    return (frame) => {
      spend(steps);
      for (let at = 0; at < compiled.length; at++) {
        const signal = (compiled[at] as Execute)(frame);
        if (signal !== finished) return signal;
      }
      return finished;
    };
  }

  /** A body with variables of its own, in the same frame. */
  innerBody(statements: Body, names: readonly string[] = []): InnerRegion {
    const scope = this.scope.inner([...names, ...this.namesSetIn(statements)], this.symbols(statements, names));
    const compiler = this.region(scope);
    return { compiler, run: compiler.body(statements) };
  }

  region(scope: Scope): Region {
    return new StatementCompiler(scope, this.dialect);
  }

  namesSetIn(statements: Body): readonly string[] {
    return namesSetIn(statements, this.dialect.capturesHaveScope);
  }

  symbols(statements: Body, parameters: readonly string[]): Symbols | undefined {
    return this.dialect.capturesHaveScope ? Symbols.of(statements, parameters, this.scope.symbols) : undefined;
  }

  assign(target: Of<"set">["target"]): Assign {
    return compileAssign(target, this.scope, ({ object }) => this.expressions.compile(object));
  }

  #statement(statement: Statement): Execute {
    switch (statement.type) {
      case "data": {
        const { text } = statement;
        return (frame) => {
          frame.render.write(text);
          return finished;
        };
      }
      case "output":
        return compileOutput(statement.value, this.expressions);
      case "if":
        return this.#if(statement);
      case "for":
        return compileLoop(statement, this);
      case "set":
        return this.#setting(statement.target, this.expressions.compile(statement.value));
      case "break":
        return () => breaking;
      case "continue":
        return () => continuing;
      case "unknown":
        return () => {
          throw new UnsupportedTemplateError(`block ${statement.name}`);
        };
      case "do": {
        const evaluate = this.expressions.compile(statement.value);
        return (frame) => {
          evaluate(frame);
          return finished;
        };
      }
      default:
        return this.#block(statement);
    }
  }

  #block(statement: Of<"set-block" | "macro" | "call-block" | "filter-block" | "with">): Execute {
    switch (statement.type) {
      case "macro":
        return compileMacro(statement, this);
      case "call-block":
        return compileCallBlock(statement, this);
      case "with":
        return this.#with(statement);
      case "set-block":
        return this.#setting(statement.target, this.#filtered(statement.filter, statement.body));
      case "filter-block": {
        const text = this.#filtered(statement.filter, statement.body);
        return (frame) => {
          const value = text(frame);
          // jinja2 joins what blocks give as it is.
          if (this.dialect.syntax.isPythonic && !isText(value)) throw new TemplateRefusal();
          frame.render.write(this.dialect.print(value));
          return finished;
        };
      }
    }
  }

  #setting(target: Of<"set">["target"], evaluate: Evaluate): Execute {
    if (target.type === "name") {
      const slot = this.scope.slot(target.name);
      return (frame) => {
        frame.slots[slot] = evaluate(frame);
        return finished;
      };
    }
    const assign = this.assign(target);
    return (frame) => {
      assign(frame, evaluate(frame));
      return finished;
    };
  }

  #if({ test, consequent, otherwise }: Of<"if">): Execute {
    const holds = this.expressions.condition(test);
    const thenBody = this.body(consequent);
    if (otherwise.length === 0) return (frame) => (holds(frame) ? thenBody(frame) : finished);
    const otherBody = this.body(otherwise);
    return (frame) => (holds(frame) ? thenBody(frame) : otherBody(frame));
  }

  /** What a body prints, through filters. */
  #filtered(filter: Expression | undefined, body: Body): Evaluate {
    const { run, slots } = this.#captured(body);
    const text: Evaluate = (frame) => {
      clear(frame, slots);
      return frame.render.capture(() => finish(run(frame)));
    };
    if (filter === undefined) return text;
    if (filter.type !== "filter") throw new TypeError("a filter expected");
    return this.expressions.filter(filter, text);
  }

  #captured(body: Body): { readonly run: Execute; readonly slots: readonly number[] } {
    if (!this.dialect.capturesHaveScope) return { run: this.body(body), slots: [] };
    const { compiler, run } = this.innerBody(body);
    return { run, slots: compiler.scope.slots };
  }

  /** jinja2 evaluates all values outside of the block, minijinja each after those before it. */
  #with({ assignments, body }: Of<"with">): Execute {
    const { compiler, run } = this.innerBody(
      body,
      assignments.flatMap(([target]) => targetNames(target)),
    );
    const outside = this.dialect.syntax.isPythonic ? this.expressions : compiler.expressions;
    const steps = assignments.map(([target, value]) => [compiler.assign(target), outside.compile(value)] as const);
    const { slots } = compiler.scope;
    const isAtOnce = this.dialect.syntax.isPythonic;
    return (frame) => {
      clear(frame, slots);
      const values: Value[] = isAtOnce ? steps.map(([, value]) => value(frame)) : [];
      for (const [at, [assign, value]] of steps.entries()) assign(frame, isAtOnce ? values[at] : value(frame));
      const signal = run(frame);
      if (!isAtOnce) finish(signal);
      return signal;
    };
  }
}
