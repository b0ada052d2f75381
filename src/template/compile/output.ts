import type { Expression } from "../parser/ast.ts";
import { CallableValue, type Value } from "../values/value.ts";
import { compileArguments } from "./calls.ts";
import { type Evaluate, type Execute, finished } from "./evaluate.ts";
import type { ExpressionCompiler } from "./expressions.ts";
import type { Frame } from "./frame.ts";

/**
 * Prints a value. What is joined only to be printed is printed piece by piece, so that a message's text stays the string that it is:
 * sums and `~`, the branches of a condition, and what a macro prints.
 */
export function compileOutput(node: Expression, compiler: ExpressionCompiler): Execute {
  const emit = compileEmit(node, compiler);
  return (frame) => {
    emit(frame);
    return finished;
  };
}

type Emit = (frame: Frame) => void;

function compileEmit(node: Expression, compiler: ExpressionCompiler): Emit {
  if (node.type === "binary" && node.operator === "+") return compileSum(node, compiler);
  if (node.type === "concat") {
    const parts = node.parts.map((part) => compiler.compile(part));
    return (frame) =>
      printConcat(
        frame,
        parts.map((part) => part(frame)),
      );
  }
  if (node.type === "condition") {
    const test = compiler.compile(node.test);
    const consequent = compileEmit(node.consequent, compiler);
    const otherwise = node.otherwise === undefined ? undefined : compileEmit(node.otherwise, compiler);
    return (frame) => (frame.render.dialect.isTrue(test(frame)) ? consequent(frame) : otherwise?.(frame));
  }
  if (node.type === "call" && node.callee.type === "name" && node.callee.name !== "raise_exception") {
    return compileCall(node, compiler);
  }
  const evaluate = compiler.compile(node);
  return (frame) => print(frame, evaluate(frame));
}

function print(frame: Frame, value: Value): void {
  frame.render.write(typeof value === "string" ? value : frame.render.dialect.print(value));
}

function printConcat(frame: Frame, values: readonly Value[]): void {
  const areTexts = values.every((value) => typeof value === "string");
  for (const value of areTexts ? values : [frame.render.dialect.concat(values)]) print(frame, value);
}

function compileCall(node: Expression & { readonly type: "call" }, compiler: ExpressionCompiler): Emit {
  const callee = compiler.compile(node.callee);
  const args = compileArguments(node.args, (argument) => compiler.compile(argument));
  const evaluate = compiler.compile(node);
  return (frame) => {
    const value = callee(frame);
    if (value instanceof CallableValue && value.print !== undefined) value.print(args(frame), frame);
    else print(frame, evaluate(frame));
  };
}

/** `a + b + c`, from left to right: pieces as long as all are texts. */
function compileSum(node: Expression, compiler: ExpressionCompiler): Emit {
  const terms = termsOf(node).map((term) => compiler.compile(term));
  return (frame) => {
    const pieces: string[] = [];
    for (let at = 0; at < terms.length; at++) {
      const value = terms[at]?.(frame);
      if (typeof value !== "string") return print(frame, sum(frame, pieces, value, terms.slice(at + 1)));
      pieces.push(value);
    }
    for (const piece of pieces) frame.render.write(piece);
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
