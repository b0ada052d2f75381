import type { KeywordNode, Node } from "./nodes.ts";
import { isBoolean, isInteger, isNone, isString, type RuntimeValue } from "./runtime-values.ts";
import { UnsupportedTemplateError } from "./template-errors.ts";

/** Evaluated arguments of a call. */
export interface Arguments {
  readonly positional: readonly RuntimeValue[];
  readonly named: ReadonlyMap<string, RuntimeValue>;
}

export function argumentsOf(nodes: readonly Node[], evaluate: (node: Node) => RuntimeValue): Arguments {
  const positional: RuntimeValue[] = [];
  const named = new Map<string, RuntimeValue>();
  for (const node of nodes) {
    if (node.type === "SpreadExpression" || node.type === "KeywordSpreadExpression") {
      throw new UnsupportedTemplateError("unpacked arguments");
    }
    const keyword = node.type === "KeywordArgumentExpression" ? (node as KeywordNode) : undefined;
    if (keyword === undefined) positional.push(evaluate(node));
    else named.set(keyword.key.value, evaluate(keyword.value));
  }
  return { positional, named };
}

/** The argument at a place or of a name; undefined when absent or None. */
export function argument(args: Arguments, at: number, name: string): RuntimeValue | undefined {
  const value = args.positional[at] ?? args.named.get(name);
  return value === undefined || isNone(value) ? undefined : value;
}

export function stringArgument(args: Arguments, at: number, name: string): string | undefined {
  const value = argument(args, at, name);
  if (value === undefined) return undefined;
  if (!isString(value)) throw new UnsupportedTemplateError(`argument ${name} of type ${value.type}`);
  return value.value;
}

export function integerArgument(args: Arguments, at: number, name: string): number | undefined {
  const value = argument(args, at, name);
  if (value === undefined) return undefined;
  if (!isInteger(value)) throw new UnsupportedTemplateError(`argument ${name} of type ${value.type}`);
  return value.value;
}

export function booleanArgument(args: Arguments, at: number, name: string): boolean | undefined {
  const value = argument(args, at, name);
  if (value === undefined) return undefined;
  if (!isBoolean(value)) throw new UnsupportedTemplateError(`argument ${name} of type ${value.type}`);
  return value.value;
}
