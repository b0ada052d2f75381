import fc, { type Arbitrary } from "fast-check";
import { composeSnippet } from "../../../live/snippets/snippet.ts";
import { snippetContext } from "../../../live/snippets/snippet-context.ts";
import { huggingfaceVocabulary } from "../../../live/snippets/vocabulary.ts";

/** A template, and what it is rendered with as JSON. */
export interface TemplateCase {
  readonly template: string;
  readonly context: string;
}

const text = fc.oneof(
  fc.constantFrom(
    "",
    "Hi",
    " a\n b ",
    "<think>\nso\n</think>\nyes",
    "</think>",
    "é😀",
    '{"a": 1}',
    "{{ x }}",
    "<|im_end|>",
  ),
  fc.string({ maxLength: 6 }),
);
const json = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom("a", "é", "<", "'", '"', "\n", "😀") });
const part = fc.oneof(
  text.map((content) => ({ type: "text", text: content })),
  fc.constantFrom({ type: "image" }, { type: "image_url", image_url: { url: "u" } }, { type: "video" }, { text: "x" }),
);
const content = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.array(part, { maxLength: 3 }) },
);
const call = fc.record({
  id: fc.constantFrom("c1", "call_0", "123456789"),
  type: fc.constant("function"),
  function: fc.record({
    name: fc.constantFrom("f", "get_weather"),
    arguments: fc.oneof(json, fc.constant('{"x": 1}')),
  }),
});
const message = fc.record(
  {
    role: fc.constantFrom("user", "user", "assistant", "assistant", "system", "tool", "developer", "other"),
    content,
    tool_calls: fc.array(call, { maxLength: 2 }),
    reasoning_content: text,
    thinking: text,
    name: fc.constantFrom("f", "bob"),
    tool_call_id: fc.constantFrom("c1", "c2"),
  },
  { requiredKeys: ["role", "content"] },
);
const tool = fc.record({
  type: fc.constant("function"),
  function: fc.record(
    { name: fc.constantFrom("f", "get_weather"), description: text, parameters: json },
    { requiredKeys: ["name"] },
  ),
});

const conversation: Arbitrary<string> = fc
  .record(
    {
      messages: fc.array(message, { maxLength: 5 }),
      tools: fc.oneof(fc.array(tool, { maxLength: 2 }), fc.constant(null)),
      documents: fc.array(fc.record({ title: text, text }), { maxLength: 2 }),
      add_generation_prompt: fc.boolean(),
      enable_thinking: fc.boolean(),
      thinking: fc.boolean(),
      reasoning_effort: fc.constantFrom("low", "high", "none"),
      bos_token: fc.constantFrom("<s>", ""),
      eos_token: fc.constant("</s>"),
      any: json,
    },
    { requiredKeys: ["messages"] },
  )
  .map((context) => JSON.stringify(context));

/** What is cut out of a template, put in, or put in its place. */
const words = [
  ...[
    "true",
    "false",
    "none",
    "0",
    "1",
    "-1",
    "''",
    "'role'",
    "[]",
    "{}",
    "messages",
    "message",
    "loop.index0",
    "tools",
  ],
  ...["message.content", "messages[0]", "messages[-1]['content']", "undefined_thing", "namespace(a=1)", "range(3)"],
  ...[
    "|trim",
    "|tojson",
    "|length",
    "|string",
    "|first",
    "|default('')",
    "|join(',')",
    "|safe",
    ".strip()",
    ".rstrip()",
    ".lstrip()",
    ".split('</think>')",
  ],
  ...[
    " is defined",
    " is string",
    " is none",
    " is mapping",
    " not in ",
    " in ",
    " and ",
    " or ",
    " == ",
    " + ",
    " ~ ",
    "not ",
  ],
  ...[
    "[::-1]",
    "[1:]",
    "[0]",
    "(",
    ")",
    "[",
    "]",
    "-",
    "{",
    "}",
    ",",
    ".",
    "|",
    "'",
    '"',
    ":",
    " if ",
    " else ",
    "=",
    "\\n",
  ],
  ...["{%- ", " -%}", "{{ ", " }}", "{#", "#}", "{% raw %}", "{% endraw %}", "\n", "  ", "é"],
  ...["{%- endif %}", "{% endfor %}", "{% if message %}", "{% for x in messages %}", "{% set y = 1 %}", "{% break %}"],
  ...[
    "{{ raise_exception('no') }}",
    "{% generation %}",
    "{% endgeneration %}",
    "{% macro m(a, b=2) %}{{ a }}{% endmacro %}",
  ],
] as const;

interface Edit {
  readonly at: number;
  readonly does: "drop" | "put" | "replace" | "repeat" | "swap";
  readonly word: string;
}

const edits = fc.array(
  fc.record({
    at: fc.nat({ max: 100_000 }),
    does: fc.constantFrom("drop" as const, "put" as const, "replace" as const, "repeat" as const, "swap" as const),
    word: fc.constantFrom(...words),
  }),
  { maxLength: 4 },
);

/** Tags as wholes and, within them, names, strings, numbers, marks and spaces. */
const pieces = /\{[%{#]-?|-?[%}#]\}|'[^'\n]*'|"[^"\n]*"|\w+|\s+|./gsu;

function edited(source: string, changes: readonly Edit[]): string {
  const parts = source.match(pieces) ?? [];
  for (const { at, does, word } of changes) {
    const place = at % (parts.length + 1);
    const part = parts[place] ?? "";
    if (does === "put") parts.splice(place, 0, word);
    else if (does === "drop") parts.splice(place, 1);
    else if (does === "replace") parts.splice(place, 1, word);
    else if (does === "repeat") parts.splice(place, 0, part);
    else parts.splice(place, 2, ...parts.slice(place, place + 2).reverse());
  }
  return parts.join("");
}

/** Real templates, changed a little, with conversations; and small ones of everything that the language has. */
export function templateCases(real: readonly string[]): Arbitrary<TemplateCase> {
  const mutated = fc
    .tuple(fc.constantFrom(...real), edits, conversation)
    .map(([source, changes, context]) => ({ template: edited(source, changes), context }));
  const composed = fc.tuple(fc.nat({ max: 2 ** 31 - 1 }), edits).map(([seed, changes]) => ({
    template: edited(composeSnippet(seed, 0, huggingfaceVocabulary), changes),
    context: snippetContext,
  }));
  return fc.oneof({ weight: 3, arbitrary: mutated }, { weight: 2, arbitrary: composed });
}
