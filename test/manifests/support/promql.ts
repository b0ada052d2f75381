import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** A metric that an expression reads, and how. */
export interface ReadMetric {
  readonly name: string;
  readonly matchers: readonly { readonly label: string; readonly operator: string; readonly value: string }[];
  /** Labels by which what is read of it is grouped, at any depth. */
  readonly grouping: readonly string[];
}

/** An expression of Prometheus' query language, as its own grammar reads it. @throws Error where it cannot be read */
export function readPromql(text: string): readonly ReadMetric[] {
  const tree = parser.parse(text);
  tree.iterate({
    enter: (node) => {
      if (node.type.isError)
        throw new Error(`cannot be read at ${node.from}: ${text.slice(node.from, node.from + 40)}`);
    },
  });
  const at = (node: SyntaxNode) => text.slice(node.from, node.to);
  return nodesOf(tree.topNode, "VectorSelector").map((selector) => ({
    name: at(required(selector, "Identifier")),
    matchers: nodesOf(selector, "UnquotedLabelMatcher").map((matcher) => ({
      label: at(required(matcher, "LabelName")),
      operator: at(required(matcher, "MatchOp")),
      value: at(required(matcher, "StringLiteral")).slice(1, -1),
    })),
    grouping: groupings(selector).flatMap((labels) => nodesOf(labels, "LabelName").map(at)),
  }));
}

/** The labels of the aggregations and matches that a selector stands in. */
function groupings(selector: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node: SyntaxNode | null = selector; node !== null; node = node.parent) {
    if (node.name !== "AggregateExpr" && node.name !== "BinaryExpr") continue;
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      if (child.name === "AggregateModifier" || child.name === "MatchingModifierClause") found.push(child);
    }
  }
  return found;
}

function nodesOf(root: SyntaxNode, name: string): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  root.cursor().iterate((node) => {
    if (node.from >= root.from && node.to <= root.to && node.name === name) found.push(node.node);
  });
  return found;
}

function required(node: SyntaxNode, name: string): SyntaxNode {
  const [found] = nodesOf(node, name);
  if (found === undefined) throw new Error(`${node.name} without ${name}`);
  return found;
}
