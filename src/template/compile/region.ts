import type { Dialect } from "../dialect/dialect.ts";
import type { Body, Target } from "../parser/ast.ts";
import type { Execute } from "./evaluate.ts";
import type { ExpressionCompiler } from "./expressions.ts";
import type { Scope } from "./scope.ts";
import type { Symbols } from "./symbols.ts";
import type { Assign } from "./variables.ts";

/** Compiles what stands in one region of variables. */
export interface Region {
  readonly scope: Scope;
  readonly dialect: Dialect;
  readonly expressions: ExpressionCompiler;
  body(statements: Body): Execute;
  /** A body with variables of its own, in the same frame. */
  innerBody(statements: Body, names?: readonly string[]): InnerRegion;
  region(scope: Scope): Region;
  namesSetIn(statements: Body): readonly string[];
  /** What the names of an inner region hold where it begins; undefined where that is looked for when the template runs. */
  symbols(statements: Body, parameters: readonly string[]): Symbols | undefined;
  assign(target: Target): Assign;
}

export interface InnerRegion {
  readonly compiler: Region;
  readonly run: Execute;
}
