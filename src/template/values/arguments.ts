import { TemplateRefusal } from "../template-errors.ts";
import { numeric } from "./compare.ts";
import { DictValue } from "./dict-value.ts";
import { type CallArguments, FloatValue, isText, textOf, type Value } from "./value.ts";

/** Arguments of a call by the parameters of a Python function; undefined where none was given. */
export class BoundArguments {
  readonly #values: ReadonlyMap<string, Value>;

  /** @throws TemplateRefusal when they do not fit */
  constructor(args: CallArguments, names: readonly string[], required = 0) {
    if (args.positional.length > names.length) throw new TemplateRefusal();
    const values = new Map<string, Value>();
    for (const [at, value] of args.positional.entries()) values.set(names[at] ?? "", value);
    for (const [name, value] of args.named) {
      if (!names.includes(name) || values.has(name)) throw new TemplateRefusal();
      values.set(name, value);
    }
    for (const name of names.slice(0, required)) if (!values.has(name)) throw new TemplateRefusal();
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): Value {
    return this.#values.get(name);
  }

  /** Text; undefined when absent or None. */
  text(name: string): string | undefined {
    const value = this.#values.get(name);
    if (value === null || !this.has(name)) return undefined;
    if (!isText(value)) throw new TemplateRefusal();
    return textOf(value);
  }

  requiredText(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new TemplateRefusal();
    return value;
  }

  /** An integer that JavaScript can count with; the fallback when absent or None. */
  integer(name: string, fallback: number): number {
    const value = this.#values.get(name);
    return value === null || !this.has(name) ? fallback : smallInteger(value);
  }
}

/** @throws TemplateRefusal for what is no integer */
export function smallInteger(value: Value): number {
  if (value instanceof FloatValue) throw new TemplateRefusal();
  const number = numeric(value);
  if (number === undefined) throw new TemplateRefusal();
  return Number(number);
}

/** Arguments as minijinja hands them over: those with names are one dict at the end. */
export function flatArguments({ positional, named }: CallArguments): readonly Value[] {
  return named.size === 0 ? positional : [...positional, DictValue.of(named, true)];
}

/** Splits the dict with names off again. */
export function withKeywords(args: readonly Value[]): {
  readonly values: readonly Value[];
  readonly keywords: DictValue | undefined;
} {
  const last = args.at(-1);
  const isKeywords = last instanceof DictValue && last.isKeywords;
  return isKeywords ? { values: args.slice(0, -1), keywords: last } : { values: args, keywords: undefined };
}
