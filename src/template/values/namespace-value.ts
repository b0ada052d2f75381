import { type NamedValues, ValuesByPlace } from "./named-values.ts";
import type { Value } from "./value.ts";

/** Up to this many members a look through the names costs less than a map. */
const FEW = 8;

/** `namespace(...)`: the one value that a template can change. Templates make some for each message, of one or two members. */
export class NamespaceValue {
  readonly kind = "namespace";
  /** May be those of the place in the template that makes it: copied before one is added. */
  #names: readonly string[];
  readonly #values: Value[];
  /** Where each name is; kept once there are many. */
  #places: Map<string, number> | undefined;

  private constructor(names: readonly string[], values: Value[]) {
    this.#names = names;
    this.#values = values;
  }

  /** @param values to be kept, in the order of the names, which are all different */
  static withNames(names: readonly string[], values: readonly Value[]): NamespaceValue {
    return new NamespaceValue(names, values as Value[]);
  }

  static of(members: NamedValues): NamespaceValue {
    if (members instanceof ValuesByPlace) return new NamespaceValue(members.names, members.values);
    const made = new NamespaceValue([], []);
    for (const [name, value] of members) made.set(name, value);
    return made;
  }

  get(name: string): Value {
    const at = this.#find(name);
    return at === -1 ? undefined : this.#values[at];
  }

  set(name: string, value: Value): void {
    const at = this.#find(name);
    if (at !== -1) this.#values[at] = value;
    else this.#add(name, value);
  }

  /** In the order in which they were set first. */
  get names(): Iterable<string> {
    return this.#places?.keys() ?? this.#names;
  }

  *entries(): Iterable<readonly [string, Value]> {
    let at = 0;
    for (const name of this.names) yield [name, this.#values[at++]];
  }

  #find(name: string): number {
    if (this.#places !== undefined) return this.#places.get(name) ?? -1;
    const names = this.#names;
    for (let at = 0; at < names.length; at++) if (names[at] === name) return at;
    return -1;
  }

  #add(name: string, value: Value): void {
    this.#values.push(value);
    if (this.#places === undefined) {
      this.#names = [...this.#names, name];
      if (this.#names.length > FEW) this.#places = new Map(this.#names.map((known, at) => [known, at]));
      return;
    }
    this.#places.set(name, this.#places.size);
  }
}
