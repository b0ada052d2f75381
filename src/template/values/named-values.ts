import type { Value } from "./value.ts";

/** Arguments that are given by name, in order: a map, or what a call of the template gives without making one. */
export interface NamedValues {
  readonly size: number;
  has(name: string): boolean;
  get(name: string): Value;
  [Symbol.iterator](): Iterator<[string, Value]>;
}

/** Values by the names of one place in a template: the names are the place's, the values those of one time. */
export class ValuesByPlace implements NamedValues {
  /** All different. */
  readonly names: readonly string[];
  readonly values: Value[];

  constructor(names: readonly string[], values: Value[]) {
    this.names = names;
    this.values = values;
  }

  get size(): number {
    return this.names.length;
  }

  has(name: string): boolean {
    return this.names.includes(name);
  }

  get(name: string): Value {
    const at = this.names.indexOf(name);
    return at === -1 ? undefined : this.values[at];
  }

  *[Symbol.iterator](): Iterator<[string, Value]> {
    for (const [at, name] of this.names.entries()) yield [name, this.values[at]];
  }
}
