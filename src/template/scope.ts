import type { JsonObject } from "../json/index.ts";
import type { TemplateDialect } from "./dialect.ts";
import { Environment, type Scope } from "./engine.ts";
import { runtimeValue } from "./json-values.ts";
import {
  ArrayValue,
  FunctionValue,
  IntegerValue,
  isInteger,
  isString,
  type RuntimeValue,
  text,
} from "./runtime-values.ts";
import { formatTime } from "./strftime.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

/** Most numbers that `range` yields. */
const MAX_RANGE = 100_000;

/** The outermost scope of a render: the functions that chat templates are given, and the context's variables. */
export function globalScope(context: JsonObject, dialect: TemplateDialect, now: () => Date): Scope {
  const scope = new Environment();
  for (const [name, value] of [
    ["true", true],
    ["True", true],
    ["false", false],
    ["False", false],
  ] as const) {
    scope.setVariable(name, runtimeValue(value, dialect));
  }
  for (const name of ["none", "None"]) scope.setVariable(name, runtimeValue(null, dialect));
  scope.setVariable("raise_exception", new FunctionValue(raiseException));
  scope.setVariable("range", new FunctionValue(range));
  scope.setVariable("strftime_now", new FunctionValue((args) => strftimeNow(args, now)));
  for (const [name, value] of context.entries()) scope.setVariable(name, runtimeValue(value, dialect));
  return scope;
}

/** The text is not shown: it may be made of a client's words. */
function raiseException(): RuntimeValue {
  throw new TemplateRefusal();
}

function strftimeNow([format]: RuntimeValue[], now: () => Date): RuntimeValue {
  if (format === undefined || !isString(format)) throw new UnsupportedTemplateError("strftime_now without a format");
  return text(formatTime(now(), format.value));
}

function range(args: RuntimeValue[]): RuntimeValue {
  const numbers = args.map((value) => {
    if (!isInteger(value)) throw new UnsupportedTemplateError(`range of ${value.type}`);
    return value.value;
  });
  const [first = 0, second, step = 1] = numbers;
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0 || Math.abs((stop - start) / step) > MAX_RANGE) throw new UnsupportedTemplateError("range too long");
  const items: RuntimeValue[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) items.push(new IntegerValue(at));
  return new ArrayValue(items);
}
