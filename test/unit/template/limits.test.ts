import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, UnsupportedTemplateError } from "../../../src/template/index.ts";

/** Doubles a list sixty times, each time of twice the same one. */
const doubled =
  "{% set ns = namespace(l=['x'], m=['x']) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% set ns.m = [ns.m, ns.m] %}{% endfor %}";

/** Templates that would take for ever, or all memory. */
const hostile = [
  "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
  "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
  "{% for i in range(99999) %}{% for j in range(99999) if j < 0 %}{% endfor %}{% endfor %}",
  "{% set ns = namespace(s='') %}{% for i in range(99999) %}{% for j in range(999) %}{% set ns.s = ns.s ~ 'abcdefgh' %}{% endfor %}{% endfor %}",
  "{{ 'a' * 10**9 }}",
  "{{ [1] * 10**9 }}",
  "{% set a = 'ab' * 999999 %}{% for i in range(99999) %}{{ a.replace('a', 'c')|length }}{% endfor %}",
  "{% set a = 'a' * 9999999 %}{% for i in range(99999) %}{{ 'b' in a }}{% endfor %}",
  "{% set a = 'a' * 9999999 %}{% set b = 'a' * 9999998 ~ 'a' %}{% for i in range(99999) %}{{ b == a }}{% endfor %}",
  "{% set a = range(99999)|list %}{% for i in range(99999) %}{{ -1 in a }}{% endfor %}",
  "{% set a = range(99999)|list %}{% for i in range(99999) %}{{ (a + a)|length }}{% endfor %}",
  `${doubled}{{ ns.l }}`,
  `${doubled}{{ ns.l|tojson(indent=2) }}`,
  `${doubled}{{ ns.l == ns.m }}`,
  `${doubled}{{ ns.l in [ns.m] }}`,
  `${doubled}{{ [ns.l, ns.m]|sort }}`,
  `${doubled}{{ ns.l ~ 'x' }}`,
  `${doubled}{{ ns.l|join(',') }}`,
  "{% set ns = namespace(l=['x']) %}{% for i in range(99999) %}{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
  "{% macro m(n) %}{% if n > 0 %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}",
  "{% for x in [1, 2] recursive %}{% if loop.depth < 60 %}{{ loop([1, 2]) }}{% endif %}{% endfor %}",
  "{{ ('a' * 99999)|replace('a', 'b' * 99999) }}",
  "{{ range(99999)|join('b' * 99999) }}",
  "{{ ('\\na' * 99999)|indent(99999) }}",
  "{% set a = range(99999)|list %}{% for i in range(999) %}{% set b = a|sort(reverse=true) %}{% endfor %}",
  "{% set a = range(99999)|list %}{% for i in range(9999) %}{{ a|map('string')|list|length }}{% endfor %}",
  "{% set a = range(99999)|list %}{% for i in range(9999) %}{{ a|select('even')|list|length }}{% endfor %}",
  "{{ range(99999)|map('string')|unique|list }}",
  "{% set a = 'a,' * 99999 %}{% for i in range(9999) %}{{ a.split(',')|length }}{% endfor %}",
  "{% set a = 'a' * 9999999 %}{% for i in range(999) %}{{ a[::-1]|length }}{% endfor %}",
  "{% set a = 'é' * 9999999 %}{% for i in range(99999) %}{{ a|length }}{% endfor %}",
  "{{ ('ab ' * 9999999)|title }}",
  "{{ strftime_now('%Y' * 9999999) }}",
  "{% for i in range(99999) %}{{ 'a' * 99999 }}{% endfor %}",
  "{% set a = 'ab' * 99999 %}{% for i in range(99999) %}{{ a is lower }}{% endfor %}",
  "{% set a = 'a' * 99999 %}{% set b = 'a' * 2500 ~ 'b' ~ 'a' * 2500 %}{% for i in range(99999) %}{{ b in a }}{% endfor %}",
  "{% set a = 'a' * 99999 %}{% set b = 'a' * 5000 ~ 'b' %}{% for i in range(99999) %}{{ a.rfind(b) }}{% endfor %}",
  "{% set a = 'a' * 99999 %}{% set b = 'a' * 2500 ~ 'b' ~ 'a' * 2500 %}{% for i in range(99999) %}{{ a.replace(b, '')|length }}{% endfor %}",
  "{% set a = 'a' * 99999 %}{% set b = ['a' * 9999 ~ 'b'] * 999 %}{% for i in range(99999) %}{{ a.startswith(b if n is defined else b[0]) }}{% endfor %}",
];

/** Those that jinja2 refuses, or this engine. */
const refused = [
  "{{ range(10**9)|list }}",
  "{% set ns = namespace(n=3) %}{% for i in range(99) %}{% set ns.n = ns.n * ns.n %}{% endfor %}{{ ns.n % 7 }}",
  "{{ '%1000000000d'|format(1) }}",
  "{{ '{:>1000000000}'.format(1) }}",
  "{{ 'a'|center(10**9) }}",
  "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
  "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
  "{{ ('a' * 999999)|wordwrap(1, wrapstring='b' * 99999) }}",
];

const nothing = JsonObject.from([["messages", []]]);

describe.each(["huggingface", "dynamo"] as const)("in the dialect %s, a render that never ends", (dialect) => {
  // Without the limits none of these would end before the test's time is up.
  it.each(hostile)(
    "is given up: %s",
    (source) => {
      expect(() => compileTemplate(source, { dialect }).render(nothing)).toThrow(UnsupportedTemplateError);
    },
    120_000,
  );

  it.each(refused)("is not begun: %s", (source) => {
    expect(() => compileTemplate(source, { dialect }).render(nothing)).toThrow();
  });
});

describe("limits of a render", () => {
  it("are settings", () => {
    const source = "{% for i in range(1000) %}{{ i }}{% endfor %}";
    expect(compileTemplate(source).render(nothing)).toHaveLength(2_890);
    expect(() => compileTemplate(source, { limits: { maxWork: 1_000 } }).render(nothing)).toThrow("works too long");
    expect(() => compileTemplate(source, { limits: { maxLength: 1_000 } }).render(nothing)).toThrow("prints too much");
  });
});

describe("integers of a request", () => {
  const compiled = compileTemplate("{{ x|tojson }}{{ x }}{% if x > 1 %}!{% endif %}");
  const withDigits = (count: number, sign = "") =>
    parseJson(Buffer.from(`{"x":${sign}${"9".repeat(count)}}`)) as JsonObject;

  it("are exact, whatever their size may sensibly be", () => {
    const digits = "9".repeat(1_000);
    expect(compiled.render(withDigits(1_000))).toBe(`${digits}${digits}!`);
    expect(compiled.render(withDigits(1_000, "-"))).toBe(`-${digits}-${digits}`);
  });

  it.each(["", "-"])("are refused unread where Python refuses them (sign: %j)", (sign) => {
    for (const digits of [4_301, 1_000_000]) {
      expect(() => compiled.render(withDigits(digits, sign))).toThrow("more digits than Python reads");
    }
  });

  it("are doubles in the dynamo dialect", () => {
    const dynamo = compileTemplate("{% if x > 1 %}!{% endif %}", { dialect: "dynamo" });
    expect(dynamo.render(withDigits(1_000_000))).toBe("!");
  });
});
