import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate } from "../../../src/template/index.ts";

/** Expected as jinja2 3.1.6 prints them. */
const calls = [
  {
    name: "a tag with constant and other arguments",
    source:
      "{% macro tag(n, a=[]) %}<{{ n }}{% for k in a %} {{ k[0] }}={{ k[1] }}{% endfor %}>{% endmacro %}{% for i in range(3) %}{% set a = [('i', 'k')] %}{% if i == 1 %}{% set a = a + [('x', x)] %}{% endif %}{{ tag('m', a) }}{{ tag('n') }}{% endfor %}",
    text: "<m i=k><n><m i=k x=a client><n><m i=k><n>",
  },
  {
    name: "a macro that counts",
    source:
      "{% set ns = namespace(n=0) %}{% macro next() %}{% set ns.n = ns.n + 1 %}{{ ns.n }}{% endmacro %}{% for i in y %}{{ next() }}{% endfor %}",
    text: "123",
  },
  {
    name: "a macro that reads what changes",
    source:
      "{% set ns = namespace(n=0) %}{% macro now(t) %}{{ t }}{{ ns.n }}{% endmacro %}{% for i in y %}{% set ns.n = i %}{{ now('a') }}{% endfor %}",
    text: "a1a2a3",
  },
  {
    name: "a macro that reads a variable from outside",
    source: "{% macro m(t) %}{{ t }}{{ x }}{% endmacro %}{% for x in y %}{{ m('a') }}{% endfor %}",
    text: "aa clientaa clientaa client",
  },
  {
    name: "macros of one name",
    source:
      "{% macro m(t) %}1{{ t }}{% endmacro %}{% for i in y %}{{ m('a') }}{% if i == 2 %}{% macro m(t) %}2{{ t }}{% endmacro %}{{ m('a') }}{% endif %}{% endfor %}{% macro m(t) %}3{% endmacro %}{{ m('a') }}",
    text: "1a1a2a1a3",
  },
  {
    name: "a macro that calls a later one",
    source:
      "{% macro a(t) %}[{{ b(t) }}]{% endmacro %}{% macro b(t) %}{{ t }}{% endmacro %}{% for i in y %}{{ a('q') }}{% endfor %}",
    text: "[q][q][q]",
  },
  {
    name: "a macro that calls itself",
    source:
      "{% macro down(n) %}{{ n }}{% if n > 0 %}{{ down(n - 1) }}{% endif %}{% endmacro %}{% for i in y %}{{ down(3) }};{{ down(i) }} {% endfor %}",
    text: "3210;10 3210;210 3210;3210 ",
  },
  {
    name: "a name that the macro sets at times",
    source:
      "{% macro m(t) %}{% if t %}{% set z = t %}{% endif %}{{ z }}{% endmacro %}{% set z = 'out' %}{% for i in y %}{{ m('') }}{{ m('in') }}{% endfor %}",
    text: "outinoutinoutin",
  },
  {
    name: "arguments by name",
    source:
      "{% macro m(t, u=none) %}{{ t }}{{ u }}{% endmacro %}{% for i in y %}{{ m('a', u=i) }}{{ m('a', u='b' if i == 1 else 'c') }}{{ m(u=true, t='d') }}{% endfor %}",
    text: "a1abdTruea2acdTruea3acdTrue",
  },
  {
    name: "arguments without parameters",
    source:
      "{% macro m() %}{{ varargs | join }}{{ kwargs | length }}{% endmacro %}{% for i in y %}{{ m('a', i) }}{{ m('a', k='v') }}{% endfor %}",
    text: "a10a1a20a1a30a1",
  },
  {
    name: "a caller",
    source:
      "{% macro m(t) %}{{ t }}{{ caller() }}{% endmacro %}{% for i in y %}{% call m('a') %}{{ i }}{% endcall %}{% endfor %}",
    text: "a1a2a3",
  },
  {
    name: "loops over arguments",
    source:
      "{% macro m(t) %}{% for c in t %}{{ loop.index }}{{ c }}{% endfor %}{% endmacro %}{% for i in y %}{{ m('ab') }}{{ m(['p', i]) }}{% endfor %}",
    text: "1a2b1p211a2b1p221a2b1p23",
  },
  {
    name: "a macro before it is there",
    source:
      "{% for i in y %}{{ m('a') if m is defined }}{% if i == 1 %}{% endif %}{% endfor %}{% macro m(t) %}{{ t }}!{% endmacro %}{{ m('a') }}{{ m('a') }}",
    text: "a!a!",
  },
  {
    name: "a default from outside, of a name that the macro sets",
    source: "{% macro m(t, u=x) %}{{ u }}{% set x = t %}{{ x }}{% endmacro %}{{ m('a') }}{{ m('b') }}",
    text: "a clientaa clientb",
  },
  {
    name: "spread arguments",
    source:
      "{% macro m(t) %}{{ t }}{% endmacro %}{% for i in y %}{{ m(*['a', 'b'][:1]) }}{{ m(**{'t': i}) }}{% endfor %}",
    text: "a1a2a3",
  },
];

function context(): JsonObject {
  const variables = parseJson(Buffer.from('{"x": "a client", "y": [1, 2, 3]}'));
  if (!(variables instanceof JsonObject)) throw new TypeError("an object expected");
  return variables;
}

describe("macros that are called again with the same arguments", () => {
  it.each(calls)("print what they print: $name", ({ source, text }) => {
    const template = compileTemplate(source);
    // What is kept from one render is there in the next.
    expect([template.render(context()), template.render(context())]).toEqual([text, text]);
  });

  it("are one string ever after where they depend on nothing else", () => {
    const source = "{% macro tag(n) %}<{{ n }}>{% endmacro %}{% for i in y %}{{ tag('m') }}{{ i }}{% endfor %}";
    expect(compileTemplate(source).renderPieces(context())).toEqual(["<m>", "1", "<m>", "2", "<m>", "3"]);
  });

  it("join nothing to a client's text", () => {
    const source = "{% macro tag(n) %}<{{ n }}>{% endmacro %}{{ tag(x) }}{{ tag(x if x else 'none') }}";
    expect(compileTemplate(source).renderPieces(context())).toEqual(["<", "a client", ">", "<", "a client", ">"]);
  });

  it("are as deep in each other as they were the first time", () => {
    const source =
      "{% macro down(n) %}{% if n %}{{ down(n - 1) }}{% endif %}{% endmacro %}{% macro deep(n) %}{% if n %}{{ deep(n - 1) }}{% else %}{{ down(80) }}{% endif %}{% endmacro %}{{ down(80) }}{{ deep(y[0]) }}{{ deep(100) }}";
    expect(() => compileTemplate(source).render(context())).toThrow("recurses too deep");
  });
});
