import type { Dialect } from "../dialect/dialect.ts";
import type { Expression } from "../parser/ast.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { DictValue } from "../values/dict-value.ts";
import { SequenceValue } from "../values/value.ts";
import { spend } from "../work.ts";
import { callValue, compileArguments, compileValues } from "./calls.ts";
import { chargeOf } from "./charge.ts";
import { compileComparison, relationOf } from "./comparisons.ts";
import { constantKeyOf, constantSequence, isConstant } from "./constants.ts";
import type { Evaluate, Holds } from "./evaluate.ts";
import { compileAttribute, compileGet, compileItem, compileMethod, compileSlice, type Owner } from "./members.ts";
import { compileNamespace } from "./namespaces.ts";
import type { Scope } from "./scope.ts";
import { compileRead, firstSlot } from "./variables.ts";

type Of<Type extends Expression["type"]> = Extract<Expression, { readonly type: Type }>;

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
    const constant = constantSequence(node);
    if (constant !== undefined) return () => constant;
    const { type } = node;
    const itemsOf = compileValues(node.items.map((item) => this.compile(item)));
    return (frame) => new SequenceValue(type, itemsOf(frame));
  }

  #member(node: Of<"attribute" | "item" | "slice">): Evaluate {
    if (node.type === "attribute") return compileAttribute(this.#owner(node.object), node.name, this.dialect);
    if (node.type === "item")
      return compileItem(this.#owner(node.object), node.key, this.compile(node.key), this.dialect);
    const object = this.compile(node.object);
    const bounds = node.bounds.map((bound) => (bound === undefined ? undefined : this.compile(bound)));
    return compileSlice(object, bounds, this.dialect);
  }

  #owner(node: Expression): Owner {
    const slot = node.type === "name" ? firstSlot(node.name, this.scope) : -1;
    return { evaluate: this.compile(node), slot };
  }

  #call({ callee, args }: Of<"call">): Evaluate {
    const refusal = this.#refusal(callee, args.positional[0]);
    if (refusal !== undefined) return refusal;
    const evaluateArgs = compileArguments(args, (node) => this.compile(node));
    if (callee.type === "attribute") {
      const { name } = callee;
      const object = this.#owner(callee.object);
      const key = name === "get" ? constantKeyOf(args) : undefined;
      if (key === undefined) return compileMethod(object.evaluate, name, evaluateArgs, this.dialect);
      const hasFallback = args.positional.length > 1;
      return compileGet(object, key, evaluateArgs, { dialect: this.dialect, hasFallback });
    }
    const evaluateCallee = this.compile(callee);
    const call: Evaluate = (frame) => callValue(evaluateCallee(frame), evaluateArgs(frame), frame);
    if (callee.type !== "name" || callee.name !== "namespace") return call;
    return compileNamespace(
      { args, callee: evaluateCallee, compile: (node) => this.compile(node), call },
      this.dialect,
    );
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

  #test(node: Of<"filter" | "test">): Holds {
    const test = this.dialect.tests.get(node.name);
    const operand = this.#operand(node, undefined);
    const { positional, named, spread, namedSpread } = node.args;
    const isBare = positional.length + named.length === 0 && spread === undefined && namedSpread === undefined;
    const holds = isBare ? test?.ofValue : undefined;
    if (holds !== undefined) {
      return (frame) => {
        spend(4);
        return holds(operand(frame));
      };
    }
    const args = compileArguments(node.args, (argument) => this.compile(argument));
    return (frame) => {
      if (test === undefined) throw new TemplateRefusal();
      spend(4);
      return test(operand(frame), args(frame), frame);
    };
  }

  /** Whether an expression is true. */
  condition(node: Expression): Holds {
    const { isTrue, foldsAnd } = this.dialect;
    switch (node.type) {
      case "not": {
        const operand = this.condition(node.operand);
        return (frame) => !operand(frame);
      }
      case "test":
        return this.#test(node);
      case "compare":
        return this.#compare(node);
      case "and":
      case "or": {
        if (foldsAnd && isConstant(node)) break;
        const left = this.condition(node.left);
        const right = this.condition(node.right);
        return node.type === "and" ? (frame) => left(frame) && right(frame) : (frame) => left(frame) || right(frame);
      }
      default:
    }
    const evaluate = this.compile(node);
    return (frame) => isTrue(evaluate(frame));
  }

  #operator(
    node: Of<"not" | "negative" | "positive" | "and" | "or" | "binary" | "concat" | "compare" | "condition">,
  ): Evaluate {
    const { concat, operations, negative } = this.dialect;
    switch (node.type) {
      case "not":
        return this.condition(node);
      case "negative":
      case "positive": {
        const operand = this.compile(node.operand);
        if (node.type === "negative" && node.operand.type === "const" && typeof node.operand.value === "number") {
          const value = negative(node.operand.value);
          return () => value;
        }
        return node.type === "negative"
          ? (frame) => negative(operand(frame))
          : (frame) => negative(negative(operand(frame)));
      }
      case "concat": {
        const partsOf = compileValues(node.parts.map((part) => this.compile(part)));
        return (frame) => concat(partsOf(frame));
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
      const test = this.condition(node.test);
      const consequent = this.compile(node.consequent);
      const otherwise = node.otherwise === undefined ? () => undefined : this.compile(node.otherwise);
      return (frame) => (test(frame) ? consequent(frame) : otherwise(frame));
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

  #compare({ first, rest }: Of<"compare">): Holds {
    const start = this.compile(first);
    const [only] = rest;
    if (only !== undefined && rest.length === 1) {
      const [operator, node] = only;
      return compileComparison(start, operator, { node, evaluate: this.compile(node) }, this.dialect);
    }
    const steps = rest.map(([operator, right]) => [relationOf(operator, this.dialect), this.compile(right)] as const);
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
}
