import type { Dialect } from "../dialect/dialect.ts";
import type { ArgumentNodes, Expression } from "../parser/ast.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { spend } from "../work.ts";
import { compileValues } from "./calls.ts";
import type { Evaluate } from "./evaluate.ts";

/** How a call of a function by that name is compiled otherwise. */
export interface NamespaceCall {
  readonly args: ArgumentNodes;
  readonly callee: Evaluate;
  readonly compile: (node: Expression) => Evaluate;
  readonly call: Evaluate;
}

/** `namespace(found=false)`: templates make some for each message. @returns the call where it has other arguments */
export function compileNamespace({ args, callee, compile, call }: NamespaceCall, dialect: Dialect): Evaluate {
  const { positional, named, spread, namedSpread } = args;
  const names = named.map(([name]) => name);
  const isPlain = positional.length === 0 && spread === undefined && namedSpread === undefined && names.length > 0;
  if (!isPlain || new Set(names).size < names.length || names.some((name) => name.startsWith("_"))) return call;
  const make = dialect.functions.get("namespace");
  const valuesOf = compileValues(named.map(([, value]) => compile(value)));
  return (frame) => {
    // A variable or macro may have the name.
    if (callee(frame) !== make) return call(frame);
    spend(8);
    return NamespaceValue.withNames(names, valuesOf(frame));
  };
}
