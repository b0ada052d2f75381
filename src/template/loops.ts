import type { TemplateDialect } from "./dialect.ts";
import {
  claim,
  IntegerValue,
  isArray,
  isMapping,
  isNone,
  isString,
  isUndefined,
  ObjectValue,
  type RuntimeValue,
  text,
  undefinedValue,
} from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

/** `break` or `continue` on its way to the loop. */
export class LoopControl extends Error {
  override readonly name = "LoopControl";
  readonly kind: "Break" | "Continue";
  /** What the left iteration had printed. */
  printed = "";

  constructor(kind: "Break" | "Continue") {
    super(`${kind} outside of a loop`);
    this.kind = kind;
  }
}

/** What a `for` goes through; nothing for undefined, and in minijinja for None. */
export function loopItems(value: RuntimeValue, dialect: TemplateDialect): RuntimeValue[] {
  if (isArray(value)) return value.value;
  if (isMapping(value)) return [...value.value.keys()].map(text);
  if (isUndefined(value) || (isNone(value) && dialect === "dynamo")) return [];
  if (isString(value)) return [...value.value].map(text);
  if (value.type === "NamespaceValue" || value.type === "FunctionValue") {
    throw new UnsupportedTemplateError(`iterating ${value.type}`);
  }
  throw new TemplateRefusal();
}

/** The `loop` variable at a place. */
export function loopValue(items: readonly RuntimeValue[], at: number): RuntimeValue {
  const last = items.length - 1;
  return new ObjectValue(
    new Map<string, RuntimeValue>([
      ["index", new IntegerValue(at + 1)],
      ["index0", new IntegerValue(at)],
      ["revindex", new IntegerValue(items.length - at)],
      ["revindex0", new IntegerValue(last - at)],
      ["first", claim(at === 0)],
      ["last", claim(at === last)],
      ["length", new IntegerValue(items.length)],
      ["previtem", items[at - 1] ?? undefinedValue()],
      ["nextitem", items[at + 1] ?? undefinedValue()],
    ]),
  );
}
