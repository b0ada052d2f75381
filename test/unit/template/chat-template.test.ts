import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate, type TemplateDialect, UnsupportedTemplateError } from "../../../src/template/index.ts";

function render(source: string, context = "{}", dialect: TemplateDialect = "huggingface"): string {
  const variables = parseJson(Buffer.from(context));
  if (!(variables instanceof JsonObject)) throw new TypeError("an object expected");
  return compileTemplate(source, { dialect, now: () => new Date(2026, 2, 7, 15, 4, 5) }).render(variables);
}

/** Expected texts are what jinja2 3.1 under transformers 5 prints. */
describe("Hugging Face's dialect", () => {
  it.each([
    { source: "{{ x }}", context: '{"x": null}', text: "None" },
    { source: "{{ x }}", context: '{"x": true}', text: "True" },
    { source: "{{ missing }}", context: "{}", text: "" },
    { source: "{{ x }}", context: '{"x": 1.0}', text: "1.0" },
    { source: "{{ x }}", context: '{"x": 0.00001234}', text: "1.234e-05" },
    { source: "{{ x }}", context: '{"x": 1e16}', text: "1e+16" },
    { source: "{{ x }}", context: '{"x": 1e15}', text: "1000000000000000.0" },
    { source: "{{ x }}", context: '{"x": -0.0}', text: "-0.0" },
    { source: "{{ x }}", context: '{"x": -0}', text: "0" },
    { source: "{{ x }}", context: '{"x": 123456789012345678901234567890}', text: "123456789012345678901234567890" },
    { source: "{{ x }}", context: '{"x": [1, "a", 2.5, true, null]}', text: "[1, 'a', 2.5, True, None]" },
    { source: "{{ x }}", context: '{"x": {"k": "it\'s"}}', text: "{'k': \"it's\"}" },
    {
      source: "{{ x | tojson }}",
      context: '{"x": {"b": 1, "10": 1.0, "2": "é<"}}',
      text: '{"b": 1, "10": 1.0, "2": "é<"}',
    },
    {
      source: "{{ x | tojson(indent=2) }}",
      context: '{"x": {"a": [1, {}], "b": []}}',
      text: '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": []\n}',
    },
    { source: "{{ x | tojson(ensure_ascii=True) }}", context: '{"x": "é😀"}', text: '"\\u00e9\\ud83d\\ude00"' },
    { source: "{{ x.strip('\\n') }}|", context: '{"x": "\\n a \\n"}', text: " a |" },
    { source: "{{ x | trim }}|", context: '{"x": "\\u001c a \\u0085"}', text: "a|" },
    { source: "{{ x.split()[-1] }}", context: '{"x": " a  b c "}', text: "c" },
    { source: "{{ x.split(' ', 1) | join('+') }}", context: '{"x": "a b c"}', text: "a+b c" },
    { source: "{{ x | length }}", context: '{"x": "😀a"}', text: "2" },
    { source: "{{ x[1] }}{{ x[-1] }}", context: '{"x": "a😀"}', text: "😀😀" },
    { source: "{% for c in x %}<{{ c }}>{% endfor %}", context: '{"x": "a😀"}', text: "<a><😀>" },
    { source: "{{ 'a' in missing }}", context: "{}", text: "False" },
    {
      source: "{{ missing is defined }}{{ x is none }}{{ x == missing }}",
      context: '{"x": null}',
      text: "FalseTrueFalse",
    },
    { source: "{{ x == y }}", context: '{"x": {"a": [1]}, "y": {"a": [1.0]}}', text: "True" },
    { source: "{{ 7 // 2 }} {{ 4 / 2 }} {{ 7 % 4 }}", context: "{}", text: "3 2.0 3" },
    { source: "{{ strftime_now('%d %b %Y, %H:%M') }}", context: "{}", text: "07 Mar 2026, 15:04" },
    {
      source:
        "{{ x.upper not in y }} {{ range in y }} {{ (x.upper,) in y }} {{ y.values() in y }} {{ x.upper in [x] }}",
      context: '{"x": "a", "y": {"a": 1}}',
      text: "True False False False False",
    },
    { source: "{{ y.get(x.upper, 'none') }}", context: '{"x": "a", "y": {"a": 1}}', text: "none" },
    { source: "{{ (1,) in {(1.0,): 2} }} {{ (true,) in {(1,): 2} }}", context: "{}", text: "True True" },
  ])("$source of $context", ({ source, context, text }) => {
    expect(render(source, context)).toBe(text);
  });

  it("prints the time of the zone that is asked for", () => {
    // 23:30 UTC: in Oslo it is summer, and tomorrow.
    const now = () => new Date(Date.UTC(2026, 5, 30, 23, 30, 7));
    const format = "{{ strftime_now('%F %T %e %-d %j %-I %p %A') }}";
    const printed = (timeZone: string) =>
      compileTemplate(format, { now, timeZone }).render(parseJson(Buffer.from("{}")) as JsonObject);
    expect(printed("UTC")).toBe("2026-06-30 23:30:07 30 30 181 11 PM Tuesday");
    expect(printed("Europe/Oslo")).toBe("2026-07-01 01:30:07  1 1 182 1 AM Wednesday");
    expect(printed("Pacific/Kiritimati")).toBe("2026-07-01 13:30:07  1 1 182 1 PM Wednesday");
    expect(() => printed("Mars/Phobos")).toThrow(RangeError);
  });

  it("forgets what an iteration has set", () => {
    const source = "{% for m in x %}{% if m %}{% set seen = m %}{% endif %}[{{ seen }}]{% endfor %}";
    expect(render(source, '{"x": ["a", ""]}')).toBe("[a][]");
  });

  it("keeps what an iteration had printed before it was left", () => {
    const source =
      "{% for m in x %}<{{ m }}{% if m == 1 %}{% continue %}{% endif %}{% if m == 2 %}{% break %}{% endif %}>{% endfor %}";
    expect(render(source, '{"x": [0, 1, 2, 3]}')).toBe("<0><1<2");
  });

  it.each([
    { name: "text + None", source: "{{ 'a' + x }}" },
    { name: "text + undefined", source: "{{ 'a' + missing }}" },
    { name: "a member of undefined", source: "{{ missing.member }}" },
    { name: "the length of None", source: "{{ x | length }}" },
    { name: "a loop over None", source: "{% for m in x %}{% endfor %}" },
    { name: "membership in None", source: "{{ 'a' in x }}" },
    { name: "JSON of undefined", source: "{{ missing | tojson }}" },
    { name: "a list in a dict", source: "{{ [1] in {} }}" },
    { name: "a dict's items in a dict", source: "{{ {}.items() in {} }}" },
  ])("refuses $name, as Python does", ({ source }) => {
    expect(() => render(source, '{"x": null}')).toThrow(RoutingError);
  });
});

/** Expected texts are what dynamo-renderer 8.0.3 and the Dynamo 1.6.1 frontend print. */
describe("Dynamo's dialect", () => {
  it.each([
    { source: "{{ x }}", context: '{"x": [1, "a", 2.5, true, null]}', text: '[1, "a", 2.5, True, None]' },
    { source: "{{ x }}", context: '{"x": {"k": "v"}}', text: '{"k": "v"}' },
    { source: "{{ x }}", context: '{"x": 18446744073709551615}', text: "18446744073709551615" },
    { source: "{{ x }}", context: '{"x": 123456789012345678901234567890}', text: "1.2345678901234568e+29" },
    { source: "{{ x | length }}{{ missing | length }}", context: '{"x": null}', text: "00" },
    { source: "{{ x | tojson }}", context: '{"x": 5e-324}', text: "5e-324" },
  ])("$source of $context", ({ source, context, text }) => {
    expect(render(source, context, "dynamo")).toBe(text);
  });

  it("finds nothing in undefined", () => {
    expect(render("{{ 'a' in missing }}", "{}", "dynamo")).toBe("False");
  });
});

describe("what the template says itself", () => {
  it("reaches the client when it is written in the template", () => {
    expect(() => render("{{ raise_exception('Roles must alternate') }}")).toThrow(
      "Invalid request: Roles must alternate",
    );
  });

  it("does not when it is made of the request's words", () => {
    expect(() => render("{{ raise_exception('No ' + x) }}", '{"x": "secret"}')).toThrow(/^(?!.*secret)/);
  });
});

describe("what the engine does not do exactly", () => {
  it.each([
    { name: "a filter", source: "{{ [1] | random }}" },
    { name: "a method", source: "{{ 'a'.encode() }}" },
    { name: "a function", source: "{{ lipsum() }}" },
    { name: "an address", source: "{{ range }}" },
    { name: "whether two undefined values are one", source: "{{ missing is sameas missing }}" },
    { name: "whether two methods are equal", source: "{{ 'a'.upper == 'a'.upper }}" },
    { name: "a method as a key", source: "{{ {'a'.upper: 1} | length }}" },
    { name: "a letter that came to Unicode lately", source: "{{ '\u{1e4d0}'.isalpha() }}" },
  ])("is reported, not guessed: $name", ({ source }) => {
    expect(() => render(source, '{"x": {"a": 1}}')).toThrow(UnsupportedTemplateError);
  });

  it("is reported at once when the source cannot be parsed", () => {
    expect(() => compileTemplate("{% for %}")).toThrow(UnsupportedTemplateError);
  });
});
