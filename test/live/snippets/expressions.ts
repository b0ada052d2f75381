import type { Chance } from "../parity/bodies/chance.ts";
import { type Kind, variablesByKind } from "./snippet-context.ts";
import type { Vocabulary } from "./vocabulary.ts";

const literals: Readonly<Record<Kind, readonly string[]>> = {
  text: ["'a'", '"b c"', "''", "'x\\ny'", "'%s'", "'é'", "'A' 'b'", "'a,b,,c'", "'{}-{x}'", "' pad '", "'1'", "'<&>'"],
  number: [
    "0",
    "1",
    "2",
    "7",
    "-1",
    "1.0",
    "2.50",
    "1e3",
    "1_000",
    "0x1F",
    "10**2",
    "3.7",
    "-0.5",
    "100000000000000000000",
  ],
  list: [
    "[]",
    "[1, 2, 3]",
    "['b', 'a']",
    "[[1, 2], ['x']]",
    "[none, true, 1.0]",
    "(1, 'two')",
    "(1,)",
    "range(4)",
    "range(2, 9, 3)",
    "range(3, 0, -1)",
    "[{'a': 2}, {'a': 1}]",
  ],
  dict: [
    "{}",
    "{'x': 1}",
    "{'a': [1], 'b': {'c': none}}",
    "{1: 'one', 'k': 2.0}",
    "dict(x=1, y='z')",
    "dict({'a': 1}, b=2)",
  ],
  other: ["true", "False", "none", "None", "missing.x", "undefined_name"],
};

const kinds: readonly Kind[] = ["text", "text", "number", "list", "list", "dict", "other"];

/** Composes expressions of templates. */
export class Expressions {
  readonly #chance: Chance;
  readonly #vocabulary: Vocabulary;
  /** Names that loops and assignments around have made. */
  readonly names: string[] = [];

  constructor(chance: Chance, vocabulary: Vocabulary) {
    this.#chance = chance;
    this.#vocabulary = vocabulary;
  }

  any(depth: number): string {
    return this.of(this.#chance.pick(kinds), depth);
  }

  /** An expression that mostly gives such a value. */
  of(kind: Kind, depth: number): string {
    const chance = this.#chance;
    if (depth <= 0 || chance.is(0.25)) return this.#atom(kind);
    return chance.oneOf<string>(
      [5, () => this.#filtered(kind, depth)],
      [4, () => this.#called(kind, depth)],
      [3, () => this.#operation(kind, depth)],
      [
        1,
        () =>
          `(${this.of(kind, depth - 1)} if ${this.condition(depth - 1)}${chance.is(0.8) ? ` else ${this.any(depth - 1)}` : ""})`,
      ],
      [1, () => this.#member(depth)],
      [0.6, () => `(${this.of(kind, depth - 1)} ${chance.pick(["or", "and"])} ${this.any(depth - 1)})`],
      [0.4, () => this.condition(depth - 1)],
      [0.4, () => this.any(depth - 1)],
    );
  }

  condition(depth: number): string {
    const chance = this.#chance;
    const operand = () => this.any(depth - 1);
    return chance.oneOf<string>(
      [3, () => `${this.#wrapped(operand())} is ${chance.is(0.3) ? "not " : ""}${this.#test(depth)}`],
      [
        3,
        () =>
          `${this.#wrapped(operand())} ${chance.pick(["==", "!=", "<", "<=", ">", ">="])} ${this.#wrapped(operand())}`,
      ],
      [
        2,
        () =>
          `${this.#wrapped(operand())} ${chance.pick(["in", "not in"])} ${this.#wrapped(this.of(chance.pick(["text", "list", "dict"]), depth - 1))}`,
      ],
      [1, () => `not ${this.#wrapped(operand())}`],
      [0.5, () => `${this.of("number", 0)} < ${this.of("number", 0)} <= ${this.of("number", 0)}`],
      [2, operand],
    );
  }

  #atom(kind: Kind): string {
    const chance = this.#chance;
    if (this.names.length > 0 && chance.is(0.25)) return chance.pick(this.names);
    return chance.is(0.65) ? chance.pick(variablesByKind[kind]) : chance.pick(literals[kind]);
  }

  #test(depth: number): string {
    const { plain, withArgument } = this.#vocabulary.tests;
    if (this.#chance.is(0.65)) return this.#chance.pick(plain);
    const argument = this.#wrapped(this.any(Math.min(depth - 1, 0)));
    return `${this.#chance.pick(withArgument)}(${argument})`;
  }

  #filtered(kind: Kind, depth: number): string {
    const from = this.#chance.is(0.95) ? kind : this.#chance.pick(kinds);
    const filter = this.#filled(this.#chance.pick(this.#vocabulary.filters[from]), depth);
    return `${this.#wrapped(this.of(from, depth - 1))}|${filter}`;
  }

  #called(kind: Kind, depth: number): string {
    const from = kind === "text" || kind === "list" || kind === "dict" ? kind : "text";
    const method = this.#filled(this.#chance.pick(this.#vocabulary.methods[from]), depth);
    return `${this.#wrapped(this.of(from, depth - 1))}.${method}`;
  }

  /** `$` stands for any value, `$text` and so on for one of the kind. */
  #filled(pattern: string, depth: number): string {
    return pattern.replace(/\$(\w*)/g, (_, kind: string) => {
      const below = Math.min(depth - 1, 0);
      return kind in variablesByKind ? this.of(kind as Kind, below) : this.any(below);
    });
  }

  #operation(kind: Kind, depth: number): string {
    const chance = this.#chance;
    const operators: Readonly<Record<Kind, readonly string[]>> = {
      text: ["~", "~", "+", "*", "%"],
      number: ["+", "-", "*", "/", "//", "%", "**"],
      list: ["+", "*", "~"],
      dict: ["~", "+"],
      other: ["~", "+", "-", "=="],
    };
    const operator = chance.pick(operators[kind]);
    // Python computes powers of any size, for hours.
    if (operator === "**")
      return `${this.#wrapped(this.of(kind, 0))} ** ${chance.pick(["0", "1", "2", "3", "(-1)", "true"])}`;
    // minijinja makes lists of any length.
    if (operator === "*" && kind !== "number")
      return `${this.#wrapped(this.of(kind, depth - 1))} * ${chance.pick(["0", "1", "2", "n", "-1", "true"])}`;
    const right = operator === "*" || chance.is(0.92) ? kind : chance.pick(kinds);
    return `${this.#wrapped(this.of(kind, depth - 1))} ${operator} ${this.#wrapped(this.of(right, depth - 1))}`;
  }

  #member(depth: number): string {
    const chance = this.#chance;
    const object = this.#wrapped(this.of(chance.pick<Kind>(["dict", "list", "text"]), depth - 1));
    const index = chance.pick([
      "0",
      "-1",
      "1",
      "'a'",
      "'b'",
      "9",
      "'x'",
      "n",
      "true",
      "1.0",
      "none",
      "'items'",
      "'length'",
    ]);
    // jinja2 folds slices of constants when it compiles, and to something else than it makes of them when it runs.
    const sliced = this.#wrapped(chance.pick([...variablesByKind.list, ...variablesByKind.text]));
    const slice = chance.pick(["1:", ":-1", "::-1", "::2", "-2:", "0:2", ":", "n:", "::n", "5:1:-2", "none:2"]);
    return chance.pick([
      `${object}[${index}]`,
      `${sliced}[${slice}]`,
      `${object}.${chance.pick(["a", "b", "x", "name", "items", "role", "0"])}`,
    ]);
  }

  #wrapped(source: string): string {
    return /^[\w.[\]']+$/.test(source) && !/^\d/.test(source) ? source : `(${source})`;
  }
}
