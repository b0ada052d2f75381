import type { Statement } from "../parser/ast.ts";

/** Nodes of the expressions of a statement, but not of the statements inside it. */
export function nodeCount(statement: Statement): number {
  return statement.type === "data" ? 0 : countWithin(statement);
}

function countWithin(node: object): number {
  let count = 1;
  for (const [name, part] of Object.entries(node)) {
    const isBody = Array.isArray(part) && (name === "body" || name === "consequent" || name === "otherwise");
    if (!isBody && typeof part === "object" && part !== null) count += countWithin(part);
  }
  return count;
}
