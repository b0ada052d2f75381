import type { ArgumentNodes, Expression } from "../parser/ast.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { DictValue } from "../values/dict-value.ts";
import { type NamedValues, ValuesByPlace } from "../values/named-values.ts";
import {
  type CallArguments,
  CallableValue,
  isText,
  LoopValue,
  ObjectValue,
  textOf,
  type Value,
} from "../values/value.ts";
import { spend } from "../work.ts";
import type { Evaluate } from "./evaluate.ts";
import type { Frame } from "./frame.ts";

export type EvaluateArguments = (frame: Frame) => CallArguments;

const noNames: NamedValues = new Map();
const noValues: readonly Value[] = [];
const none: CallArguments = { positional: noValues, named: noNames };

/** Values of expressions, from first to last. */
export function compileValues(nodes: readonly Evaluate[]): (frame: Frame) => readonly Value[] {
  const [first, second, third] = nodes;
  if (first === undefined) return () => noValues;
  if (second === undefined) return (frame) => [first(frame)];
  if (third === undefined) return (frame) => [first(frame), second(frame)];
  if (nodes.length === 3) return (frame) => [first(frame), second(frame), third(frame)];
  return (frame) => nodes.map((evaluate) => evaluate(frame));
}

export function compileArguments(nodes: ArgumentNodes, compile: (node: Expression) => Evaluate): EvaluateArguments {
  const positional = nodes.positional.map(compile);
  const valuesOf = compileValues(positional);
  const named = nodes.named.map(([name, value]) => [name, compile(value)] as const);
  const spread = nodes.spread === undefined ? undefined : compile(nodes.spread);
  const namedSpread = nodes.namedSpread === undefined ? undefined : compile(nodes.namedSpread);
  if (named.length === 0 && spread === undefined && namedSpread === undefined) {
    if (positional.length === 0) return () => none;
    const [only] = positional;
    if (only !== undefined && positional.length === 1)
      return (frame) => ({ positional: [only(frame)], named: noNames });
    return (frame) => ({ positional: valuesOf(frame), named: noNames });
  }
  const names = named.map(([name]) => name);
  if (spread === undefined && namedSpread === undefined && new Set(names).size === names.length) {
    const namedOf = compileValues(named.map(([, value]) => value));
    return (frame) => {
      const values = valuesOf(frame);
      return { positional: values, named: new ValuesByPlace(names, namedOf(frame) as Value[]) };
    };
  }
  return (frame) => {
    const values = [...valuesOf(frame)];
    if (spread !== undefined) {
      const more = frame.render.dialect.iterate(spread(frame));
      spend(4 * more.length);
      for (const value of more) values.push(value);
    }
    const names = new Map<string, Value>();
    for (const [name, evaluate] of named) names.set(name, evaluate(frame));
    if (namedSpread !== undefined) addSpread(names, namedSpread(frame));
    return { positional: values, named: names };
  };
}

function addSpread(names: Map<string, Value>, value: Value): void {
  if (!(value instanceof DictValue)) throw new TemplateRefusal();
  for (const [key, member] of value.entries()) {
    spend(4);
    if (!isText(key)) throw new TemplateRefusal();
    names.set(textOf(key), member);
  }
}

/** Calls what can be called. @throws TemplateRefusal for anything else */
export function callValue(callee: Value, args: CallArguments, frame: Frame): Value {
  spend(8 + args.positional.length);
  if (callee instanceof CallableValue) return callee.call(args, frame);
  if (callee instanceof ObjectValue && callee.call !== undefined) return callee.call(args, frame);
  if (!(callee instanceof LoopValue) || callee.recurse === undefined) throw new TemplateRefusal();
  if (args.positional.length !== 1 || args.named.size > 0) throw new TemplateRefusal();
  return callee.recurse(args.positional[0]);
}
