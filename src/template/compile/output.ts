import type { Expression } from "../parser/ast.ts";
import { CallableValue, type Value } from "../values/value.ts";
import { compileArguments, compileValues } from "./calls.ts";
import { type Evaluate, type Execute, finished, type Signal } from "./evaluate.ts";
import type { ExpressionCompiler } from "./expressions.ts";
import type { Frame } from "./frame.ts";
import { RepeatedCall } from "./repeated-calls.ts";

/**
 * Prints a value. What is joined only to be printed is printed piece by piece, so that a message's text stays the string that it is:
 * sums and `~`, the branches of a condition, and what a macro prints.
 */
export function compileOutput(node: Expression, compiler: ExpressionCompiler): Execute {
  if (node.type === "binary" && node.operator === "+") return compileSum(node, compiler);
  if (node.type === "concat") {
    const partsOf = compileValues(node.parts.map((part) => compiler.compile(part)));
    return (frame) => printConcat(frame, partsOf(frame));
  }
  if (node.type === "condition") {
    const holds = compiler.condition(node.test);
    const consequent = compileOutput(node.consequent, compiler);
    const otherwise: Execute = node.otherwise === undefined ? () => finished : compileOutput(node.otherwise, compiler);
    return (frame) => (holds(frame) ? consequent(frame) : otherwise(frame));
  }
  if (node.type === "call" && node.callee.type === "name" && node.callee.name !== "raise_exception") {
    return compileCall(node, compiler, compiler.scope.pureMacros.has(node.callee.name));
  }
  const evaluate = compiler.compile(node);
  return (frame) => print(frame, evaluate(frame));
}

function print(frame: Frame, value: Value): Signal {
  frame.render.write(typeof value === "string" ? value : frame.render.dialect.print(value));
  return finished;
}

function printConcat(frame: Frame, values: readonly Value[]): Signal {
  const areTexts = values.every((value) => typeof value === "string");
  for (const value of areTexts ? values : [frame.render.dialect.concat(values)]) print(frame, value);
  return finished;
}

/** @param isPure what it calls is a macro that depends on its arguments alone, or nothing yet */
function compileCall(
  node: Expression & { readonly type: "call" },
  compiler: ExpressionCompiler,
  isPure: boolean,
): Execute {
  const callee = compiler.compile(node.callee);
  const args = compileArguments(node.args, (argument) => compiler.compile(argument));
  const evaluate = compiler.compile(node);
  const call = isPure ? new RepeatedCall(node.args, args) : undefined;
  return (frame) => {
    const value = callee(frame);
    if (!(value instanceof CallableValue) || value.print === undefined) return print(frame, evaluate(frame));
    if (call === undefined) value.print(args(frame), frame);
    else call.print(value, frame);
    return finished;
  };
}

/** `a + b + c`, from left to right: pieces as long as all are texts. */
function compileSum(node: Expression, compiler: ExpressionCompiler): Execute {
  const terms = termsOf(node).map((term) => compiler.compile(term));
  const [first, second, third] = terms;
  if (first !== undefined && second !== undefined && third === undefined) {
    return (frame) => {
      const [left, right] = [first(frame), second(frame)];
      const areTexts = typeof left === "string" && typeof right === "string";
      if (!areTexts) return print(frame, frame.render.dialect.operations["+"](left, right, frame));
      frame.render.write(left);
      frame.render.write(right);
      return finished;
    };
  }
  return (frame) => {
    const pieces: string[] = [];
    for (let at = 0; at < terms.length; at++) {
      const value = terms[at]?.(frame);
      if (typeof value !== "string") return print(frame, sum(frame, pieces, value, terms.slice(at + 1)));
      pieces.push(value);
    }
    for (let at = 0; at < pieces.length; at++) frame.render.write(pieces[at] as string);
    return finished;
  };
}

function sum(frame: Frame, pieces: readonly string[], value: Value, rest: readonly Evaluate[]): Value {
  const add = frame.render.dialect.operations["+"];
  const start = pieces.length === 0 ? value : add(pieces.join(""), value, frame);
  return rest.reduce((left, right) => add(left, right(frame), frame), start);
}

function termsOf(node: Expression): readonly Expression[] {
  return node.type === "binary" && node.operator === "+" ? [...termsOf(node.left), node.right] : [node];
}
