import { describe, expect, it } from "vitest";
import { JsonObject } from "../../../src/json/index.ts";
import { compileTemplate } from "../../../src/template/index.ts";

/** Expected as jinja2 3.1.6 prints them. */
const searches = [
  {
    name: "a search that ends",
    source:
      "{% set ns = namespace(found=none) %}{% for i in range(9, -1, -1) %}{% if ns.found is none or not ns.done %}{% set ns.found = i %}{% set ns.done = i < 7 %}{% endif %}{% endfor %}{{ ns.found }}",
    text: "6",
  },
  {
    name: "a search by a flag",
    source:
      "{% set ns = namespace(stop=false) %}{% for i in range(5) %}{%- if not ns.stop -%}{{ i }}{% set ns.stop = i == 2 %}{%- endif -%}{% else %}none{% endfor %}",
    text: "012",
  },
  {
    name: "a condition that never holds",
    source: "{% for i in range(5) %}{% if off and i %}{{ i }}{% endif %}{% else %}none{% endfor %}",
    text: "",
  },
  {
    name: "no item",
    source: "{% for i in [] %}{% if off %}{{ i }}{% endif %}{% else %}none{% endfor %}",
    text: "none",
  },
  {
    name: "a variable of the loop's own, which each item begins without",
    source: "{% for i in range(3) %}{% if not seen %}{{ i }}{% set seen = true %}{% endif %}{% endfor %}",
    text: "012",
  },
  {
    name: "a condition on the item or the loop",
    source:
      "{% for i in [0, 1, 0, 2] %}{% if i %}{{ i }}{% endif %}{% endfor %}{% for i in range(4) %}{% if loop.index0 %}{{ i }}{% endif %}{% endfor %}",
    text: "12123",
  },
];

describe.each(["huggingface", "dynamo"] as const)("loops of one condition in %s's dialect", (dialect) => {
  it.each(searches)("$name", ({ source, text }) => {
    expect(compileTemplate(source, { dialect }).render(JsonObject.from([]))).toBe(text);
  });

  it("ends where the condition does not hold", () => {
    const source =
      "{% set ns = namespace(found=true) %}{% for i in range(9999) %}{% for j in range(99) %}{% if not ns.found %}{{ j }}{% endif %}{% endfor %}{% endfor %}";
    const template = compileTemplate(source, { dialect, limits: { maxWork: 4_000_000 } });
    expect(template.render(JsonObject.from([]))).toBe("");
  });
});
