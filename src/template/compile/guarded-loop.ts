import type { Expression, Statement } from "../parser/ast.ts";
import { isMentioned } from "./mentions.ts";

type ForStatement = Extract<Statement, { readonly type: "for" }>;
type IfStatement = Extract<Statement, { readonly type: "if" }>;

/**
 * The condition that is all of a loop's body and does not depend on the item: `{% if not ns.found %}` in a search without `break`. Once it
 * does not hold it never will, as nothing is done meanwhile that could change it; so the loop may end there. Templates look back from each
 * message like this (Gemma 4), which would take the square of the messages.
 */
export function guardOf({ target, body }: ForStatement): IfStatement | undefined {
  const [only, ...others] = body;
  if (only?.type !== "if" || others.length > 0 || only.otherwise.length > 0) return undefined;
  // Another target may fail on a later item.
  if (target.type !== "name" || isMentioned(only.test, target.name) || isMentioned(only.test, "loop")) return undefined;
  return isPure(only.test) ? only : undefined;
}

/** Whether an expression only reads. */
function isPure(node: Expression): boolean {
  switch (node.type) {
    case "const":
    case "name":
      return true;
    case "not":
      return isPure(node.operand);
    case "and":
    case "or":
      return isPure(node.left) && isPure(node.right);
    case "attribute":
      return isPure(node.object);
    case "item":
      return isPure(node.object) && isPure(node.key);
    case "compare":
      return isPure(node.first) && node.rest.every(([, right]) => isPure(right));
    default:
      return false;
  }
}
