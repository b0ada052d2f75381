import type { ArgumentNodes, Expression } from "../parser/ast.ts";
import { SequenceValue, type Value } from "../values/value.ts";

/** Whether minijinja computes an expression when it compiles (minijinja@2.24.0 compiler/ast.rs `as_const`). */
export function isConstant(node: Expression): boolean {
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

/** A list or tuple of constants: made once, as no template can change it. Undefined for others. */
export function constantSequence(node: Expression): SequenceValue | undefined {
  if (node.type !== "list" && node.type !== "tuple") return undefined;
  const items: Value[] = [];
  for (const item of node.items) {
    const value = item.type === "const" ? item.value : constantSequence(item);
    if (value === undefined) return undefined;
    items.push(value);
  }
  return new SequenceValue(node.type, items, undefined, true);
}

/** The key that `get("key")` or `get("key", fallback)` looks for; undefined where it is not known before the template runs. */
export function constantKeyOf({ positional, named, spread, namedSpread }: ArgumentNodes): string | undefined {
  const [first] = positional;
  const isPlain = named.length === 0 && spread === undefined && namedSpread === undefined && positional.length <= 2;
  return isPlain && first?.type === "const" && typeof first.value === "string" ? first.value : undefined;
}
