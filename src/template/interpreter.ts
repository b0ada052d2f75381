import { type Arguments, argumentsOf } from "./arguments.ts";
import type { TemplateDialect } from "./dialect.ts";
import { Environment, Interpreter, type Scope } from "./engine.ts";
import { applyFilter } from "./filters.ts";
import { LoopControl, loopItems, loopValue } from "./loops.ts";
import { memberOf } from "./members.ts";
import { callMethod } from "./methods.ts";
import {
  type BinaryNode,
  type BlockNode,
  type CallNode,
  type FilterNode,
  type ForNode,
  type IfNode,
  type MemberNode,
  type NameNode,
  type Node,
  type OutputNode,
  type SelectNode,
  type TestNode,
  type TupleNode,
  type ValueNode,
  valueNode,
} from "./nodes.ts";
import { applyOperator } from "./operators.ts";
import { claim, isArray, isString, type RuntimeValue, text, undefinedValue } from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";
import { applyTest } from "./tests.ts";
import { printed } from "./value-text.ts";

/**
 * The engine with Python's semantics where its own differ in what a prompt becomes: operators, printing, filters, methods, tests,
 * member access and the scope of loops. Whatever reaches the engine itself and fails there is reported as unknown, not as refused.
 */
export class TemplateInterpreter extends Interpreter {
  readonly #dialect: TemplateDialect;

  constructor(scope: Scope, dialect: TemplateDialect) {
    super(scope);
    this.#dialect = dialect;
  }

  override evaluate(node: Node | undefined, scope: Scope): RuntimeValue {
    if (node === undefined) return undefinedValue();
    switch (node.type) {
      case "Known":
        return (node as ValueNode).known;
      case "Output":
        return text(printed(this.evaluate((node as OutputNode).expression, scope), this.#dialect));
      case "Program":
        return this.#block((node as BlockNode).body, scope);
      case "If":
        return this.#if(node as IfNode, scope);
      case "For":
        return this.#for(node as ForNode, scope);
      case "Break":
      case "Continue":
        throw new LoopControl(node.type);
      default:
        return this.#expression(node, scope);
    }
  }

  #expression(node: Node, scope: Scope): RuntimeValue {
    switch (node.type) {
      case "BinaryExpression":
        return this.#binary(node as BinaryNode, scope);
      case "MemberExpression":
        return this.#member(node as MemberNode, scope);
      case "CallExpression":
        return this.#call(node as CallNode, scope);
      case "FilterExpression":
        return this.#filter(node as FilterNode, scope);
      case "TestExpression": {
        const test = node as TestNode;
        const isMet = applyTest(this.evaluate(test.operand, scope), test.test.value, this.#dialect);
        return claim(isMet !== test.negate);
      }
      case "FilterStatement":
        throw new UnsupportedTemplateError("a filter block");
      default:
        return super.evaluate(node, scope);
    }
  }

  #block(body: readonly Node[], scope: Scope): RuntimeValue {
    let output = "";
    for (const node of body) {
      try {
        const value = this.evaluate(node, scope);
        if (isString(value)) output += value.value;
      } catch (error) {
        // What an iteration printed before it was left stays printed.
        if (error instanceof LoopControl) error.printed = output + error.printed;
        throw error;
      }
    }
    return text(output);
  }

  #if(node: IfNode, scope: Scope): RuntimeValue {
    const isMet = this.evaluate(node.test, scope).__bool__().value;
    return this.#block(isMet ? node.body : node.alternate, scope);
  }

  /** Each iteration has a scope of its own: what it sets is gone in the next. */
  #for(node: ForNode, scope: Scope): RuntimeValue {
    const select = node.iterable.type === "SelectExpression" ? (node.iterable as SelectNode) : undefined;
    let items = loopItems(this.evaluate(select?.lhs ?? node.iterable, scope), this.#dialect);
    if (select !== undefined) {
      items = items.filter((item) => this.evaluate(select.test, this.#itemScope(node, item, scope)).__bool__().value);
    }
    if (items.length === 0) return this.#block(node.defaultBlock, scope);
    let output = "";
    for (let at = 0; at < items.length; at++) {
      const inner = this.#itemScope(node, items[at] as RuntimeValue, scope);
      inner.setVariable("loop", loopValue(items, at));
      try {
        output += String(this.#block(node.body, inner).value);
      } catch (error) {
        if (!(error instanceof LoopControl)) throw error;
        output += error.printed;
        if (error.kind === "Break") break;
      }
    }
    return text(output);
  }

  #itemScope(node: ForNode, item: RuntimeValue, scope: Scope): Scope {
    const inner = new Environment(scope);
    if (node.loopvar.type === "Identifier") {
      inner.setVariable((node.loopvar as NameNode).value, item);
      return inner;
    }
    const names = (node.loopvar as TupleNode).value;
    if (!isArray(item) || item.value.length !== names.length) throw new UnsupportedTemplateError("unpacking in a loop");
    for (const [at, name] of names.entries()) inner.setVariable(name.value, item.value[at] ?? undefinedValue());
    return inner;
  }

  #binary(node: BinaryNode, scope: Scope): RuntimeValue {
    const operator = node.operator.value;
    const left = this.evaluate(node.left, scope);
    if (operator === "and") return left.__bool__().value ? this.evaluate(node.right, scope) : left;
    if (operator === "or") return left.__bool__().value ? left : this.evaluate(node.right, scope);
    return applyOperator(operator, left, this.evaluate(node.right, scope), this.#dialect);
  }

  #member(node: MemberNode, scope: Scope): RuntimeValue {
    const object = this.evaluate(node.object, scope);
    if (node.computed && node.property.type === "SliceExpression") {
      return super.evaluate({ ...node, object: valueNode(object) } as MemberNode, scope);
    }
    const key = node.computed ? this.evaluate(node.property, scope) : text((node.property as NameNode).value);
    return memberOf(object, key);
  }

  #call(node: CallNode, scope: Scope): RuntimeValue {
    if (node.callee.type !== "MemberExpression") return this.#callNamed(node, scope);
    const callee = node.callee as MemberNode;
    if (callee.computed) throw new UnsupportedTemplateError("calling a computed member");
    const object = this.evaluate(callee.object, scope);
    return callMethod(object, (callee.property as NameNode).value, this.#arguments(node, scope), this.#dialect);
  }

  #callNamed(node: CallNode, scope: Scope): RuntimeValue {
    const [first] = node.args;
    const isRefusal = node.callee.type === "Identifier" && (node.callee as NameNode).value === "raise_exception";
    // Words of the template itself help the client, and cannot hold anyone's prompt.
    if (isRefusal && first?.type === "StringLiteral") throw new TemplateRefusal((first as NameNode).value);
    return super.evaluate(node, scope);
  }

  #filter(node: FilterNode, scope: Scope): RuntimeValue {
    const operand = this.evaluate(node.operand, scope);
    const call = node.filter.type === "CallExpression" ? (node.filter as CallNode) : undefined;
    const name = ((call?.callee ?? node.filter) as NameNode).value;
    const args = call === undefined ? { positional: [], named: new Map() } : this.#arguments(call, scope);
    return applyFilter(operand, name, args, this.#dialect);
  }

  #arguments(node: CallNode, scope: Scope): Arguments {
    return argumentsOf(node.args, (argument) => this.evaluate(argument, scope));
  }
}
