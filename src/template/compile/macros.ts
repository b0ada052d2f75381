import type { Body, Expression, Parameters, Statement } from "../parser/ast.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import { DictValue } from "../values/dict-value.ts";
import { type CallArguments, CallableValue, SequenceValue, type Value } from "../values/value.ts";
import { callValue, compileArguments } from "./calls.ts";
import { type Evaluate, type Execute, finished } from "./evaluate.ts";
import { emptySlots, Frame, missing } from "./frame.ts";
import { isMentioned, mentions } from "./mentions.ts";
import type { Region } from "./region.ts";

type MacroStatement = Extract<Statement, { readonly type: "macro" }>;
type CallStatement = Extract<Statement, { readonly type: "call-block" }>;

export function compileMacro({ name, parameters, body }: MacroStatement, outer: Region): Execute {
  const make = compileCallable(name, parameters, body, outer);
  const slot = outer.scope.slot(name);
  return (frame) => {
    frame.slots[slot] = make(frame);
    return finished;
  };
}

/** Calls a macro with the block as its `caller`. */
export function compileCallBlock({ parameters, call, body }: CallStatement, outer: Region): Execute {
  const make = compileCallable("", parameters, body, outer);
  const args = compileArguments(call.args, (node) => outer.expressions.compile(node));
  const invoke = compileInvoke(call.callee, outer);
  return (frame) => {
    const { positional, named } = args(frame);
    const result = invoke({ positional, named: new Map<string, Value>([...named, ["caller", make(frame)]]) }, frame);
    frame.render.write(frame.render.dialect.print(result));
    return finished;
  };
}

function compileInvoke(callee: Expression, outer: Region): (args: CallArguments, frame: Frame) => Value {
  if (callee.type === "attribute") {
    const object = outer.expressions.compile(callee.object);
    return (args, frame) => outer.dialect.callMethod(object(frame), callee.name, args, frame);
  }
  const evaluate = outer.expressions.compile(callee);
  return (args, frame) => callValue(evaluate(frame), args, frame);
}

interface Parameter {
  readonly name: string;
  readonly slot: number;
  readonly fallback: Evaluate | undefined;
}

function compileCallable(
  macroName: string,
  { names, defaults }: Parameters,
  body: Body,
  outer: Region,
): (frame: Frame) => CallableValue {
  const implicit = outer.dialect.implicitParameters.filter((name) => !names.includes(name) && mentions(body, name));
  const parametersOf = [...names, ...implicit];
  // Defaults are read before anything of the body is set.
  const read = defaults.map((value): Statement => ({ type: "output", value }));
  const symbols = outer.symbols([...read, ...body], parametersOf);
  const scope = outer.scope.ofFrame([...parametersOf, ...outer.namesSetIn(body)], symbols);
  const compiler = outer.region(scope);
  const run = compiler.body(body);
  const parameters = names.map((name, at): Parameter => {
    const fallback = defaults[at - (names.length - defaults.length)];
    const compiled = fallback === undefined ? undefined : compileDefault(name, fallback, compiler);
    return { name, slot: scope.slot(name), fallback: compiled };
  });
  const extras = new Map(implicit.map((name) => [name, scope.slot(name)] as const));
  const empty = emptySlots(scope.frameSize);
  return (definition) => {
    const print = (args: CallArguments, { render }: Frame): void => {
      render.enter("macro");
      const frame = new Frame(render, empty, definition);
      bind(parameters, extras, args, frame);
      run(frame);
      render.leave("macro");
    };
    return new CallableValue((args, frame) => frame.render.capture(() => print(args, frame)), print, macroName);
  };
}

/** A default that mentions its own parameter finds nothing in jinja2, and what stands outside in minijinja. */
function compileDefault(name: string, fallback: Expression, compiler: Region): Evaluate {
  const evaluate = compiler.expressions.compile(fallback);
  if (!isMentioned(fallback, name)) return evaluate;
  return () => {
    throw new UnsupportedTemplateError("a default that mentions its own parameter");
  };
}

/** Python's binding of a macro's arguments (jinja2@3.1.6 runtime.py Macro; minijinja's refuses the same). */
function bind(
  parameters: readonly Parameter[],
  extras: ReadonlyMap<string, number>,
  args: CallArguments,
  frame: Frame,
): void {
  if (extras.size === 0) {
    if (args.positional.length > parameters.length) throw new TemplateRefusal();
    setParameters(parameters, args.named.size === 0 ? args.positional : placed(parameters, args), frame);
    return;
  }
  const named = new Map<string, Value>(args.named);
  const setExtra = (name: string, value: () => Value): boolean => {
    const slot = extras.get(name);
    if (slot !== undefined) frame.slots[slot] = value();
    return slot !== undefined;
  };
  const given = parameters.map(({ name }, at) => {
    if (at < args.positional.length) return args.positional[at];
    const value = named.has(name) ? named.get(name) : missing;
    named.delete(name);
    return value;
  });
  setExtra("caller", () => named.get("caller"));
  if (extras.has("caller")) named.delete("caller");
  const hasNames = setExtra("kwargs", () => DictValue.of(named));
  if (!hasNames && named.size > 0) throw new TemplateRefusal();
  const hasRest = setExtra("varargs", () => new SequenceValue("tuple", args.positional.slice(parameters.length)));
  if (!hasRest && args.positional.length > parameters.length) throw new TemplateRefusal();
  setParameters(parameters, given, frame);
}

/** Arguments in the order of the parameters. @throws TemplateRefusal for a name that is none of those without an argument */
function placed(parameters: readonly Parameter[], { positional, named }: CallArguments): (Value | typeof missing)[] {
  const given: (Value | typeof missing)[] = positional.slice();
  let used = 0;
  for (let at = positional.length; at < parameters.length; at++) {
    const { name } = parameters[at] as Parameter;
    const isNamed = named.has(name);
    if (isNamed) used++;
    given.push(isNamed ? named.get(name) : missing);
  }
  if (used < named.size) throw new TemplateRefusal();
  return given;
}

function setParameters(
  parameters: readonly Parameter[],
  given: readonly (Value | typeof missing)[],
  frame: Frame,
): void {
  const { defaultsReplaceUndefined } = frame.render.dialect;
  for (let at = 0; at < parameters.length; at++) {
    const { slot, fallback } = parameters[at] as Parameter;
    const value = at < given.length ? given[at] : missing;
    const isAbsent = value === missing || (defaultsReplaceUndefined && value === undefined);
    frame.slots[slot] = isAbsent ? fallback?.(frame) : value;
  }
}
