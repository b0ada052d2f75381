import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, UnsupportedTemplateError } from "../../../src/template/index.ts";

const context = parseJson(Buffer.from("{}"));

/** As transformers 5.24.0 with jinja2 3.1.6 answers: a condition's own parts may name what there is not, the bodies begun in it may not. */
describe("a filter or test that there is not, within a condition that is false", () => {
  it.each([
    ["the test of a loop", "{% for x in [1] if x is nosuch %}{% endfor %}"],
    ["the filter of a set block", "{% set x | nosuch %}a{% endset %}"],
    ["a filter block", "{% filter nosuch %}a{% endfilter %}"],
    ["a macro's defaults", "{% macro m(a=1|nosuch) %}{% endmacro %}"],
    ["a call's parameters", "{% call(a=1|nosuch) range(2) %}{% endcall %}"],
    ["the body of a loop", "{% for x in [1] %}{{ x|nosuch }}{% endfor %}"],
  ])("is refused in %s", (_, source) => {
    expect(() => compileTemplate(`{% if false %}${source}{% endif %}`, { dialect: "huggingface" })).toThrow(
      UnsupportedTemplateError,
    );
  });

  it.each([
    ["the call of a call block", "{% call range(2|nosuch) %}{% endcall %}"],
    ["the items of a loop", "{% for x in [1]|nosuch %}{% endfor %}"],
    ["the value of a set", "{% set x = 1 is nosuch %}"],
    ["the values of a with", "{% with x = 1|nosuch %}{% endwith %}"],
    ["another condition", "{% if x is nosuch %}{% endif %}"],
    ["a part of a conditional expression", "{{ (1 if x else 2|nosuch) }}"],
  ])("is let pass in %s", (_, source) => {
    if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
    const template = compileTemplate(`{% if false %}${source}{% endif %}`, { dialect: "huggingface" });
    expect(template.render(context)).toBe("");
  });
});

/** As jinja2 3.1.6 answers: Python asks what it makes a mapping of for `keys` first, which what there is not refuses to have. */
describe("what there is not, taken for a mapping", () => {
  it.each([
    "{{ dict(nosuch) }}",
    "{{ dict(nosuch, a=1) }}",
    "{% set ns = namespace(nosuch) %}",
    "{% set ns = namespace(nosuch if false, a=1) %}",
    "{{ dict(**nosuch) }}",
    "{{ nosuch | dictsort }}",
    "{{ nosuch | xmlattr }}",
  ])("is refused in %s", (source) => {
    if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
    const template = compileTemplate(source, { dialect: "huggingface" });
    expect(() => template.render(context)).toThrow(RoutingError);
  });

  it.each([
    ["{{ dict.fromkeys(nosuch) }}", "{}"],
    ["{{ dict('') }}{{ dict([]) }}", "{}{}"],
    ["{{ dict(*nosuch) }}", "{}"],
    ["{{ nosuch | items | list }}", "[]"],
  ])("is gone through in %s", (source, text) => {
    if (!(context instanceof JsonObject)) throw new TypeError("an object expected");
    expect(compileTemplate(source, { dialect: "huggingface" }).render(context)).toBe(text);
  });
});
