import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, type TemplateOptions, UnsupportedTemplateError } from "../../../src/template/index.ts";

function pieces(source: string, context: string, options: TemplateOptions = {}): readonly string[] {
  const variables = parseJson(Buffer.from(context));
  if (!(variables instanceof JsonObject)) throw new TypeError("an object expected");
  return compileTemplate(source, options).renderPieces(variables);
}

describe("pieces of a prompt", () => {
  it.each([
    { name: "a sum", source: "{{ '<' + x + '>' }}" },
    { name: "~", source: "{{ '<' ~ x ~ '>' }}" },
    { name: "text around", source: "<{{ x }}>" },
    { name: "a macro", source: "{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(x) }}" },
    { name: "a macro's result", source: "{% macro m(a) %}{{ a }}{% endmacro %}{% set y = m(x) | trim %}<{{ y }}>" },
    { name: "a condition", source: "{{ '<' + x + '>' if x else '' }}" },
    { name: "a strip that strips nothing", source: "<{{ x.strip() }}>" },
  ])("keep a text apart that passes through $name", ({ source }) => {
    expect(pieces(source, '{"x": "message"}')).toEqual(["<", "message", ">"]);
  });
});

describe("a render without end", () => {
  const limits = { maxWork: 100_000, maxLength: 10_000 };

  it.each([
    { name: "loops in loops", source: "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}" },
    {
      name: "text that doubles",
      source: "{% set n = namespace(s='ab') %}{% for i in range(99) %}{% set n.s = n.s * 2 %}{% endfor %}",
    },
    { name: "a long output", source: "{% for i in range(9999) %}aaaaaaaaaa{% endfor %}" },
    { name: "a wide column", source: "{{ '{:>999999999}'.format('a') }}" },
    { name: "a large power", source: "{{ 10 ** 9999 }}" },
    { name: "a wide text", source: "{{ 'a' | center(999999999) }}" },
  ])("is reported: $name", ({ source }) => {
    expect(() => pieces(source, "{}", { limits })).toThrow(UnsupportedTemplateError);
  });

  it.each(["huggingface", "dynamo"] as const)("is refused when it recurses for ever, as in %s", (dialect) => {
    expect(() => pieces("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "{}", { dialect })).toThrow(RoutingError);
  });

  it("is reported when expressions nest too deep to read", () => {
    expect(() => pieces(`{{ ${"(".repeat(5_000)}1${")".repeat(5_000)} }}`, "{}")).toThrow(UnsupportedTemplateError);
  });
});
