import type { Dialect, Relation } from "../dialect/dialect.ts";
import type { CompareOperator, Expression } from "../parser/ast.ts";
import { spend } from "../work.ts";
import { constantSequence } from "./constants.ts";
import type { Evaluate, Holds } from "./evaluate.ts";

interface Operand {
  readonly node: Expression;
  readonly evaluate: Evaluate;
}

/** Longest text whose comparison is not counted by its length. */
const SHORT = 1_000;

/** `left operator right`. Texts are mostly compared with a word of the template, or looked for among some. */
export function compileComparison(left: Evaluate, operator: CompareOperator, right: Operand, dialect: Dialect): Holds {
  const holds = relationOf(operator, dialect);
  const { node, evaluate } = right;
  const word = node.type === "const" ? node.value : undefined;
  if (typeof word === "string" && word.length <= SHORT && (operator === "==" || operator === "!=")) {
    const isEqual = operator === "==";
    return (frame) => {
      const value = left(frame);
      return typeof value === "string" ? (value === word) === isEqual : holds(value, word);
    };
  }
  const words = operator === "in" || operator === "not in" ? wordsOf(node) : undefined;
  if (words === undefined) return (frame) => holds(left(frame), evaluate(frame));
  const isIn = operator === "in";
  return (frame) => {
    const value = left(frame);
    if (typeof value !== "string") return holds(value, evaluate(frame));
    spend(words.length);
    return words.includes(value) === isIn;
  };
}

function wordsOf(node: Expression): readonly string[] | undefined {
  const items = constantSequence(node)?.items;
  const words = items?.filter((item) => typeof item === "string" && item.length <= SHORT) as readonly string[];
  return words?.length === items?.length ? words : undefined;
}

export function relationOf(operator: CompareOperator, dialect: Dialect): Relation {
  const { equals, less, lessOrEqual, contains } = dialect;
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
