import type { BlockNode, FilterNode, ForNode, IfNode, NameNode, Node, OutputNode } from "./nodes.ts";

/** Nodes that stand in a block and print nothing of their own, or print text already. */
const statements = new Set([
  "Program",
  "If",
  "For",
  "Set",
  "Macro",
  "CallStatement",
  "FilterStatement",
  "Break",
  "Continue",
  "Comment",
  "StringLiteral",
]);

/** Marks every printed expression of a tree, so that its value is printed as Python would print it. */
export function markOutputs(node: Node): void {
  const block = node as Partial<BlockNode & IfNode & ForNode>;
  if (block.body !== undefined) block.body = block.body.map(marked);
  if (block.alternate !== undefined) block.alternate = block.alternate.map(marked);
  if (block.defaultBlock !== undefined) block.defaultBlock = block.defaultBlock.map(marked);
}

function marked(node: Node): Node {
  if (statements.has(node.type)) {
    markOutputs(node);
    return node;
  }
  return { type: "Output", expression: withoutSafe(node) } as OutputNode;
}

/** Nothing is escaped when it is printed: `| safe` at the end changes nothing. Elsewhere it makes jinja2 escape what is joined to it. */
function withoutSafe(node: Node): Node {
  const { filter, operand } = node as FilterNode;
  return node.type === "FilterExpression" && (filter as NameNode).value === "safe" ? operand : node;
}
