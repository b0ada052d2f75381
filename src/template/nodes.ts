import type { RuntimeValue } from "./runtime-values.ts";

/** A node of the engine's syntax tree, which it does not export; the fields are those of @huggingface/jinja@0.5.11 ast.ts. */
export interface Node {
  readonly type: string;
}

export interface BlockNode extends Node {
  body: Node[];
}

export interface IfNode extends BlockNode {
  readonly test: Node;
  alternate: Node[];
}

export interface ForNode extends BlockNode {
  readonly loopvar: NameNode | TupleNode;
  readonly iterable: Node;
  defaultBlock: Node[];
}

export interface SelectNode extends Node {
  readonly lhs: Node;
  readonly test: Node;
}

export interface NameNode extends Node {
  readonly value: string;
}

export interface TupleNode extends Node {
  readonly value: NameNode[];
}

export interface BinaryNode extends Node {
  readonly operator: { readonly value: string };
  readonly left: Node;
  readonly right: Node;
}

export interface MemberNode extends Node {
  readonly object: Node;
  readonly property: Node;
  readonly computed: boolean;
}

export interface CallNode extends Node {
  readonly callee: Node;
  readonly args: Node[];
}

export interface KeywordNode extends Node {
  readonly key: NameNode;
  readonly value: Node;
}

export interface FilterNode extends Node {
  readonly operand: Node;
  readonly filter: NameNode | CallNode;
}

export interface TestNode extends Node {
  readonly operand: Node;
  readonly negate: boolean;
  readonly test: NameNode;
}

/** A node of our own: a value that is known already, for handing to the engine's evaluation. */
export interface ValueNode extends Node {
  readonly known: RuntimeValue;
}

/** A node of our own: an expression whose value is printed. */
export interface OutputNode extends Node {
  readonly expression: Node;
}

export function valueNode(known: RuntimeValue): ValueNode {
  return { type: "Known", known };
}
