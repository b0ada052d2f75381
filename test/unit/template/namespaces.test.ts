import { describe, expect, it } from "vitest";
import { JsonObject } from "../../../src/json/index.ts";
import { compileTemplate } from "../../../src/template/index.ts";

/** Expected as jinja2 3.1.6 prints them. */
const templates = [
  {
    name: "a macro of that name",
    source: "{% macro namespace(a) %}<{{ a }}>{% endmacro %}{{ namespace(a=1) }}",
    text: "<1>",
  },
  {
    name: "each pass has its own",
    source:
      "{% for i in [1, 2] %}{% set ns = namespace(n=i, m=none) %}{% set ns.k = i * 2 %}{{ ns.n }}{{ ns.m }}{{ ns.k }}{{ ns }}{% endfor %}",
    text: "1None2<Namespace {'n': 1, 'm': None, 'k': 2}>2None4<Namespace {'n': 2, 'm': None, 'k': 4}>",
  },
  {
    name: "members that one adds are not the other's",
    source:
      "{% set a = namespace(n=0) %}{% set b = namespace(n=0) %}{% set a.n = 1 %}{% set a.z = 2 %}{{ a.n }}{{ b.n }}{{ b.z is defined }}{{ namespace({'q': 3}, r=4).q }}",
    text: "10False3",
  },
  {
    name: "many members",
    source:
      "{% set ns = namespace(a=1) %}{% for i in 'bcdefghijk' %}{% endfor %}{% set ns.b = 2 %}{% set ns.c = 3 %}{% set ns.d = 4 %}{% set ns.e = 5 %}{% set ns.f = 6 %}{% set ns.g = 7 %}{% set ns.h = 8 %}{% set ns.i = 9 %}{% set ns.j = 10 %}{% set ns.b = 11 %}{{ ns }}{{ ns.j }}{{ ns.k is defined }}",
    text: "<Namespace {'a': 1, 'b': 11, 'c': 3, 'd': 4, 'e': 5, 'f': 6, 'g': 7, 'h': 8, 'i': 9, 'j': 10}>10False",
  },
];

describe("namespaces", () => {
  it.each(templates)("print what they hold: $name", ({ source, text }) => {
    const template = compileTemplate(source);
    const context = JsonObject.from([]);
    expect([template.render(context), template.render(context)]).toEqual([text, text]);
  });
});
