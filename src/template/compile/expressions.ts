import type { Dialect } from "../dialect/dialect.ts";
import type { CompareOperator, Expression } from "../parser/ast.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { DictValue } from "../values/dict-value.ts";
import { list, SequenceValue, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import { callValue, compileArguments } from "./calls.ts";
import { chargeOf } from "./charge.ts";
import type { Evaluate } from "./evaluate.ts";
import type { Scope } from "./scope.ts";
import { compileRead } from "./variables.ts";

type Of<Type extends Expression["type"]> = Extract<Expression, { readonly type: Type }>;

/** Whether minijinja computes an expression when it compiles (minijinja@2.24.0 compiler/ast.rs `as_const`). */
function isConstant(node: Expression): boolean {
  switch (node.type) {
    case "const":
      return true;
    case "list":
      return node.items.every(({ type }) => type === "const");
    case "dict":
      return node.entries.every(([key, value]) => key.type === "const" && value.type === "const");
    case "not":
    case "negative":
      return isConstant(node.operand);
    case "and":
    case "or":
    case "binary":
      return isConstant(node.left) && isConstant(node.right);
    case "concat":
      return node.parts.every(isConstant);
    case "compare":
      return isConstant(node.first) && node.rest.every(([, right]) => isConstant(right));
    default:
      return false;
  }
}

/** Compiles the expressions of one region. */
export class ExpressionCompiler {
  readonly scope: Scope;
  readonly dialect: Dialect;

  constructor(scope: Scope, dialect: Dialect) {
    this.scope = scope;
    this.dialect = dialect;
  }

  compile(node: Expression): Evaluate {
    switch (node.type) {
      case "const": {
        const { value } = node;
        return () => value;
      }
      case "name":
        return compileRead(node.name, this.scope);
      case "list":
      case "tuple":
      case "dict":
        return this.#collection(node);
      case "attribute":
      case "item":
      case "slice":
        return this.#member(node);
      case "call":
        return this.#call(node);
      case "filter":
        return this.filter(node, undefined);
      case "test":
        return this.#test(node);
      default:
        return this.#operator(node);
    }
  }

  #collection(node: Of<"list" | "tuple" | "dict">): Evaluate {
    if (node.type === "dict") {
      const entries = node.entries.map(([key, value]) => [this.compile(key), this.compile(value)] as const);
      return (frame) => DictValue.of(entries.map(([key, value]) => [key(frame), value(frame)] as const));
    }
    const items = node.items.map((item) => this.compile(item));
    if (node.type === "list") return (frame) => list(items.map((item) => item(frame)));
    return (frame) =>
      new SequenceValue(
        "tuple",
        items.map((item) => item(frame)),
      );
  }

  #member(node: Of<"attribute" | "item" | "slice">): Evaluate {
    const { attribute, item, slice } = this.dialect;
    const object = this.compile(node.object);
    if (node.type === "attribute") {
      const { name } = node;
      return (frame) => attribute(object(frame), name);
    }
    if (node.type === "item") {
      const key = this.compile(node.key);
      return (frame) => item(object(frame), key(frame));
    }
    const [start, stop, step] = node.bounds.map((bound) => (bound === undefined ? () => null : this.compile(bound)));
    return (frame) => slice(object(frame), start?.(frame), stop?.(frame), step?.(frame));
  }

  #call({ callee, args }: Of<"call">): Evaluate {
    const refusal = this.#refusal(callee, args.positional[0]);
    if (refusal !== undefined) return refusal;
    const evaluateArgs = compileArguments(args, (node) => this.compile(node));
    if (callee.type === "attribute") {
      const { callMethod } = this.dialect;
      const { name } = callee;
      const object = this.compile(callee.object);
      const count = chargeOf(name);
      return (frame) => {
        const value = object(frame);
        count(value);
        return callMethod(value, name, evaluateArgs(frame), frame);
      };
    }
    const evaluateCallee = this.compile(callee);
    return (frame) => callValue(evaluateCallee(frame), evaluateArgs(frame), frame);
  }

  /** Words of the template itself help the client, and cannot hold anyone's prompt. */
  #refusal(callee: Expression, message: Expression | undefined): Evaluate | undefined {
    if (callee.type !== "name" || callee.name !== "raise_exception") return undefined;
    if (message?.type !== "const" || typeof message.value !== "string") return undefined;
    const { value } = message;
    return () => {
      throw new TemplateRefusal(value);
    };
  }

  /** @param captured gives the operand of a filter block's innermost filter */
  filter(node: Of<"filter" | "test">, captured: Evaluate | undefined): Evaluate {
    const apply = this.dialect.filters.get(node.name);
    const operand = this.#operand(node, captured);
    const args = compileArguments(node.args, (argument) => this.compile(argument));
    const count = chargeOf(node.name);
    return (frame) => {
      const value = operand(frame);
      if (apply === undefined) throw new TemplateRefusal();
      count(value);
      return apply(value, args(frame), frame);
    };
  }

  #operand({ operand }: Of<"filter" | "test">, captured: Evaluate | undefined): Evaluate {
    if (operand === undefined) {
      if (captured === undefined) throw new TypeError("a filter without operand");
      return captured;
    }
    return operand.type === "filter" ? this.filter(operand, captured) : this.compile(operand);
  }

  #test(node: Of<"filter" | "test">): Evaluate {
    const test = this.dialect.tests.get(node.name);
    const operand = this.#operand(node, undefined);
    const args = compileArguments(node.args, (argument) => this.compile(argument));
    return (frame) => {
      if (test === undefined) throw new TemplateRefusal();
      spend(4);
      return test(operand(frame), args(frame), frame);
    };
  }

  #operator(
    node: Of<"not" | "negative" | "positive" | "and" | "or" | "binary" | "concat" | "compare" | "condition">,
  ): Evaluate {
    const { isTrue, concat, operations, negative } = this.dialect;
    switch (node.type) {
      case "not": {
        const operand = this.compile(node.operand);
        return (frame) => !isTrue(operand(frame));
      }
      case "negative":
      case "positive": {
        const operand = this.compile(node.operand);
        return node.type === "negative"
          ? (frame) => negative(operand(frame))
          : (frame) => negative(negative(operand(frame)));
      }
      case "concat": {
        const parts = node.parts.map((part) => this.compile(part));
        return (frame) => concat(parts.map((part) => part(frame)));
      }
      case "binary": {
        const apply = operations[node.operator];
        const left = this.compile(node.left);
        const right = this.compile(node.right);
        return (frame) => apply(left(frame), right(frame), frame);
      }
      case "compare":
        return this.#compare(node);
      default:
        return this.#choice(node);
    }
  }

  #choice(node: Of<"and" | "or" | "condition">): Evaluate {
    const { isTrue } = this.dialect;
    if (node.type === "condition") {
      const test = this.compile(node.test);
      const consequent = this.compile(node.consequent);
      const otherwise = node.otherwise === undefined ? () => undefined : this.compile(node.otherwise);
      return (frame) => (isTrue(test(frame)) ? consequent(frame) : otherwise(frame));
    }
    const left = this.compile(node.left);
    const right = this.compile(node.right);
    const isAnd = node.type === "and";
    if (isAnd && this.dialect.foldsAnd && isConstant(node)) {
      return (frame) => {
        const [first, second] = [left(frame), right(frame)];
        return isTrue(first) && isTrue(second) ? second : false;
      };
    }
    return (frame) => {
      const value = left(frame);
      return isTrue(value) === isAnd ? right(frame) : value;
    };
  }

  #compare({ first, rest }: Of<"compare">): Evaluate {
    const start = this.compile(first);
    const steps = rest.map(([operator, right]) => [this.#relation(operator), this.compile(right)] as const);
    const [only] = steps;
    if (only !== undefined && steps.length === 1) {
      const [holds, right] = only;
      return (frame) => holds(start(frame), right(frame));
    }
    return (frame) => {
      let left = start(frame);
      for (const [holds, evaluate] of steps) {
        const right = evaluate(frame);
        if (!holds(left, right)) return false;
        left = right;
      }
      return true;
    };
  }

  #relation(operator: CompareOperator): (left: Value, right: Value) => boolean {
    const { equals, less, lessOrEqual, contains } = this.dialect;
    switch (operator) {
      case "==":
        return equals;
      case "!=":
        return (left, right) => !equals(left, right);
      case "<":
        return less;
      case "<=":
        return lessOrEqual;
      case ">":
        return (left, right) => less(right, left);
      case ">=":
        return (left, right) => lessOrEqual(right, left);
      case "in":
        return (left, right) => contains(right, left);
      case "not in":
        return (left, right) => !contains(right, left);
    }
  }
}
