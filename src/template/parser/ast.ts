import type { BinaryOperator } from "../dialect/dialect.ts";
import type { Value } from "../values/value.ts";

export type CompareOperator = "==" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not in";

/** Arguments of a call, in the order of the source. */
export interface ArgumentNodes {
  readonly positional: readonly Expression[];
  readonly named: readonly (readonly [name: string, value: Expression])[];
  /** `*list` */
  readonly spread: Expression | undefined;
  /** `**dict` */
  readonly namedSpread: Expression | undefined;
}

export type Expression =
  | { readonly type: "const"; readonly value: Value }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list" | "tuple"; readonly items: readonly Expression[] }
  | { readonly type: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: "not" | "negative" | "positive"; readonly operand: Expression }
  | { readonly type: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly type: "concat"; readonly parts: readonly Expression[] }
  | {
      readonly type: "compare";
      readonly first: Expression;
      readonly rest: readonly (readonly [CompareOperator, Expression])[];
    }
  | {
      readonly type: "condition";
      readonly test: Expression;
      readonly consequent: Expression;
      readonly otherwise: Expression | undefined;
    }
  | { readonly type: "attribute"; readonly object: Expression; readonly name: string }
  | { readonly type: "item"; readonly object: Expression; readonly key: Expression }
  | {
      readonly type: "slice";
      readonly object: Expression;
      readonly bounds: readonly [Expression | undefined, Expression | undefined, Expression | undefined];
    }
  | { readonly type: "call"; readonly callee: Expression; readonly args: ArgumentNodes }
  | {
      readonly type: "filter" | "test";
      readonly name: string;
      /** Undefined in a filter block: the block's text. */
      readonly operand: Expression | undefined;
      readonly args: ArgumentNodes;
    };

/** What can be assigned to: a name, a member of a namespace, or a tuple of targets. */
export type Target =
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "member"; readonly object: Expression; readonly name: string }
  | { readonly type: "targets"; readonly items: readonly Target[] };

export interface Parameters {
  readonly names: readonly string[];
  /** Of the last parameters. */
  readonly defaults: readonly Expression[];
}

export type Body = readonly Statement[];

export type Statement =
  | { readonly type: "data"; readonly text: string }
  | { readonly type: "output"; readonly value: Expression }
  | {
      readonly type: "if";
      readonly test: Expression;
      readonly consequent: Body;
      readonly otherwise: Body;
      /** It stands in the `otherwise` of another, as `elif`. */
      readonly isElif: boolean;
    }
  | {
      readonly type: "for";
      readonly target: Target;
      readonly items: Expression;
      readonly test: Expression | undefined;
      readonly isRecursive: boolean;
      readonly body: Body;
      readonly otherwise: Body;
    }
  | { readonly type: "set"; readonly target: Target; readonly value: Expression }
  | {
      readonly type: "set-block";
      readonly target: Target;
      readonly filter: Expression | undefined;
      readonly body: Body;
    }
  | { readonly type: "macro"; readonly name: string; readonly parameters: Parameters; readonly body: Body }
  | {
      readonly type: "call-block";
      readonly parameters: Parameters;
      readonly call: Expression & { readonly type: "call" };
      readonly body: Body;
    }
  | { readonly type: "filter-block"; readonly filter: Expression; readonly body: Body }
  | {
      readonly type: "with";
      readonly assignments: readonly (readonly [Target, Expression])[];
      readonly body: Body;
      /** It is Hugging Face's block `generation`. */
      readonly isGeneration: boolean;
    }
  | { readonly type: "do"; readonly value: Expression }
  /** What this engine does not render. */
  | { readonly type: "unknown"; readonly name: string }
  | { readonly type: "break" | "continue" };
