import type { Chance } from "../parity/bodies/chance.ts";
import { Expressions } from "./expressions.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Composes bodies of templates. */
export class Statements {
  readonly #chance: Chance;
  readonly #expressions: Expressions;
  readonly #vocabulary: Vocabulary;
  #isInLoop = false;
  #macros = 0;

  constructor(chance: Chance, vocabulary: Vocabulary) {
    this.#chance = chance;
    this.#vocabulary = vocabulary;
    this.#expressions = new Expressions(chance, vocabulary);
  }

  body(depth: number): string {
    return this.#chance.list(1, 3, () => this.#statement(depth)).join("");
  }

  #statement(depth: number): string {
    const chance = this.#chance;
    const inner = () => this.body(depth - 1);
    const any = (below = 2) => this.#expressions.any(below);
    const many = depth > 0 ? 1 : 0;
    return chance.oneOf<string>(
      [8, () => this.#output(any(chance.pick([0, 1, 1, 2, 3])))],
      [2, () => chance.pick([" text ", "\n", "  \n\n", "a\n  ", "}}", "{ {", "#}", "é"])],
      [2 * many, () => this.#tag(`if ${this.#expressions.condition(2)}`, inner(), "endif", this.#branches(depth))],
      [3 * many, () => this.#loop(depth)],
      [2, () => this.#set(depth)],
      [many, () => this.#macro(depth)],
      [
        many,
        () =>
          this.#tag(
            `filter ${chance.pick(["upper", "trim", "replace('a', 'b')", "indent(2)", "length|string", "title|trim"])}`,
            inner(),
            "endfilter",
          ),
      ],
      [many, () => this.#with(depth)],
      [
        0.5,
        () => chance.pick(["{# c #}", "{#- c -#}\n", "{% raw %}{{ x }}{% endraw %}", "{%- raw -%} {{ {% endraw %}\n"]),
      ],
      [0.4 * many, () => this.#tag("generation", inner(), "endgeneration")],
      [this.#isInLoop ? 1 : 0, () => this.#output(chance.pick(this.#vocabulary.loopMembers))],
      [
        this.#isInLoop ? 0.5 : 0,
        () => `{% if ${this.#expressions.condition(1)} %}{% ${chance.pick(["break", "continue"])} %}{% endif %}`,
      ],
    );
  }

  #output(expression: string): string {
    return this.#chance
      .pick([`{{ ${expression} }}`, `{{ ${expression} }}`, `{{- ${expression} -}}`, `{{${expression}}}`])
      .replace("{{{", "{{ {");
  }

  #tag(head: string, body: string, end: string, middle = ""): string {
    const sign = () => this.#chance.pick(["", "", "", "-"]);
    return `{%${sign()} ${head} ${sign()}%}${body}${middle}{%${sign()} ${end} ${sign()}%}`;
  }

  #branches(depth: number): string {
    const chance = this.#chance;
    const elseIf = chance.is(0.3) ? `{% elif ${this.#expressions.condition(2)} %}${this.body(depth - 1)}` : "";
    return elseIf + (chance.is(0.4) ? `{% else %}${this.body(depth - 1)}` : "");
  }

  #loop(depth: number): string {
    const chance = this.#chance;
    const [target, items, names] = chance.pick<readonly [string, string, readonly string[]]>([
      ["x", this.#expressions.of("list", 2), ["x"]],
      ["x", this.#expressions.any(2), ["x"]],
      ["m", "messages", ["m", "m.content", "m.role", "m.tool_calls"]],
      ["k, v", `${this.#expressions.of("dict", 0)}.items()`, ["k", "v"]],
      ["k, v", "dk|dictsort", ["k", "v"]],
      ["a, b", "[(1, 2), ('x', none)]", ["a", "b"]],
      ["c", this.#expressions.of("text", 1), ["c"]],
    ]);
    const condition = chance.is(0.2)
      ? ` if ${target.includes(",") ? "t" : `${target} ${chance.pick(["is string", "!= 1", "is defined"])}`}`
      : "";
    const wasInLoop = this.#isInLoop;
    this.#isInLoop = true;
    const body = this.#within(names, () => this.body(depth - 1));
    this.#isInLoop = wasInLoop;
    const otherwise = chance.is(0.25) ? `{% else %}${this.body(depth - 1)}` : "";
    return this.#tag(`for ${target} in ${items}${condition}`, body, "endfor", otherwise);
  }

  #set(depth: number): string {
    const chance = this.#chance;
    const name = chance.pick(["v1", "v2", "s"]);
    const source = chance.oneOf<string>(
      [5, () => `{% set ${name} = ${this.#expressions.any(2)} %}`],
      [1, () => `{% set v1, v2 = ${chance.pick(["(1, 2)", "ls[:2]", "'ab'", "[1]", "1, n"])} %}`],
      [
        1,
        () =>
          `{% set ns = namespace(c=${this.#expressions.any(1)}) %}{% set ns.${chance.pick(["c", "d"])} = ${this.#expressions.any(1)} %}{{ ns.c }}`,
      ],
      [
        depth > 0 ? 1 : 0,
        () => this.#tag(`set ${name}${chance.is(0.3) ? "|upper" : ""}`, this.body(depth - 1), "endset"),
      ],
    );
    if (!this.#expressions.names.includes(name)) this.#expressions.names.push(name);
    return source;
  }

  #macro(depth: number): string {
    const chance = this.#chance;
    const name = `m${this.#macros++}`;
    const parameters = chance.pick(["a", "a, b=2", "a='x', b=none", ""]);
    const names = parameters === "" ? [] : parameters.includes("b") ? ["a", "b"] : ["a"];
    const wasInLoop = this.#isInLoop;
    this.#isInLoop = false;
    const body = this.#within(names, () => this.body(depth - 1));
    this.#isInLoop = wasInLoop;
    const isCaller = chance.is(0.25);
    const macro = this.#tag(`macro ${name}(${parameters})`, isCaller ? `${body}{{ caller() }}` : body, "endmacro");
    const args = chance.pick([
      "",
      this.#expressions.any(1),
      `a=${this.#expressions.any(1)}`,
      `1, ${this.#expressions.any(1)}`,
      "b=1",
      "1, 2, 3",
    ]);
    if (isCaller) return macro + this.#tag(`call ${name}(${args})`, this.body(depth - 1), "endcall");
    return `${macro}{{ ${name}(${args})${chance.pick(["", "", "|trim", " ~ 'x'", "|length"])} }}`;
  }

  #with(depth: number): string {
    const assignments = this.#chance.pick([
      `y = ${this.#expressions.any(1)}`,
      `y = 1, z2 = ${this.#expressions.any(1)}`,
      "",
    ]);
    return this.#tag(
      `with ${assignments}`,
      this.#within(assignments === "" ? [] : ["y"], () => this.body(depth - 1)),
      "endwith",
    );
  }

  #within(names: readonly string[], compose: () => string): string {
    const known = this.#expressions.names.length;
    this.#expressions.names.push(...names);
    const source = compose();
    this.#expressions.names.length = known;
    return source;
  }
}
