import { join } from "node:path";
import { PythonOracle } from "./python-oracle.ts";

/** JSON as Python reads it: see python/read_json.py. */
export type Seen = null | boolean | string | readonly [kind: string, ...rest: unknown[]];

/** Python's json. */
export class PythonJson {
  readonly #oracle = new PythonOracle("python3", join(import.meta.dirname, "..", "python", "read_json.py"));

  /** The value, with repeated members; undefined when it is refused. */
  async read(text: Buffer): Promise<Seen | undefined> {
    const answer = (await this.#oracle.ask({ hex: text.toString("hex") })) as {
      readonly value?: Seen;
      readonly refused?: string;
    };
    return answer.refused === undefined ? (answer.value ?? null) : undefined;
  }

  close(): Promise<void> {
    return this.#oracle.close();
  }
}

/** Members of an object, in order; undefined when it is none. */
export function membersOf(value: Seen | undefined): readonly (readonly [name: string, value: Seen])[] | undefined {
  return Array.isArray(value) && value[0] === "object" ? (value.slice(1) as [string, Seen][]) : undefined;
}

/** Elements of an array; undefined when it is none. */
export function elementsOf(value: Seen | undefined): readonly Seen[] | undefined {
  return Array.isArray(value) && value[0] === "array" ? (value.slice(1) as Seen[]) : undefined;
}

/** Digits of a number; undefined when it is none. */
export function digitsOf(value: Seen | undefined): string | undefined {
  return Array.isArray(value) && value[0] === "number" ? String(value[1]) : undefined;
}

/** Of repeated members the last value, at the first place. */
export function lastOfRepeats(value: Seen): Seen {
  if (!Array.isArray(value)) return value;
  const [kind, ...rest] = value as readonly [string, ...unknown[]];
  if (kind === "array") return [kind, ...rest.map((each) => lastOfRepeats(each as Seen))];
  if (kind !== "object") return value;
  const members = rest as readonly (readonly [string, Seen])[];
  return [kind, ...new Map(members.map(([name, each]) => [name, lastOfRepeats(each)]))];
}
