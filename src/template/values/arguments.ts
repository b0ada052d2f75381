import { TemplateRefusal } from "../template-errors.ts";
import { numeric } from "./compare.ts";
import { DictValue } from "./dict-value.ts";
import { type CallArguments, FloatValue, isText, textOf, type Value } from "./value.ts";

/** Arguments of a call by the parameters of a Python function; undefined where none was given. */
export class BoundArguments {
  readonly #args: CallArguments;
  readonly #names: readonly string[];

  /** @throws TemplateRefusal when they do not fit */
  constructor(args: CallArguments, names: readonly string[], required = 0) {
    const { positional, named } = args;
    const given = positional.length;
    if (given > names.length) throw new TemplateRefusal();
    // Neither an unknown name nor one whose place is taken.
    if (named.size > 0) for (const [name] of named) if (names.indexOf(name) < given) throw new TemplateRefusal();
    for (let at = given; at < required; at++) if (!named.has(names[at] as string)) throw new TemplateRefusal();
    this.#args = args;
    this.#names = names;
  }

  has(name: string): boolean {
    return this.#isPositional(name) || this.#args.named.has(name);
  }

  get(name: string): Value {
    const { positional, named } = this.#args;
    return this.#isPositional(name) ? positional[this.#names.indexOf(name)] : named.get(name);
  }

  #isPositional(name: string): boolean {
    const { length } = this.#args.positional;
    return length > 0 && this.#names.lastIndexOf(name, length - 1) !== -1;
  }

  /** Text; undefined when absent or None. */
  text(name: string): string | undefined {
    if (!this.has(name)) return undefined;
    const value = this.get(name);
    if (value === null) return undefined;
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
    if (!this.has(name)) return fallback;
    const value = this.get(name);
    return value === null ? fallback : smallInteger(value);
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
