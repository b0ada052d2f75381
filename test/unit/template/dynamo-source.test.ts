import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { compileTemplate } from "../../../src/template/index.ts";

// Expected values: dynamo-renderer 8.0.3 template/formatters.rs and minimax_m2.rs, by their own tests and the running frontend.

const sourceOf = (source: string) => compileTemplate(source, { dialect: "dynamo" }).source;

function render(source: string, context: object): string {
  const variables = parseJson(Buffer.from(JSON.stringify(context)));
  if (!(variables instanceof JsonObject)) throw new TypeError("an object expected");
  return compileTemplate(source, { dialect: "dynamo" }).render(variables);
}

describe("a template's source as the Dynamo frontend reads it", () => {
  it.each([
    { name: "a call of items becomes the filter", source: "{{ a.items() }}", read: "{{ a|items }}" },
    {
      name: "in blocks, too",
      source: "{%- for k in a.b.items() -%}{%- endfor -%}",
      read: "{%- for k in a.b|items -%}{%- endfor -%}",
    },
    { name: "not outside of tags", source: "a.items()", read: "a.items()" },
    { name: "not in comments", source: "{# a.items() #}x", read: "{# a.items() #}x" },
    {
      name: "not in quotes",
      source: `{{ 'a.items()' ~ "}}.items()" ~ 'it\\'s.items()' }}`,
      read: `{{ 'a.items()' ~ "}}.items()" ~ 'it\\'s.items()' }}`,
    },
    {
      name: "not in raw blocks",
      source: "{% raw %}{{ a.items() ' }}{% endraw %}{{ a.items() }}",
      read: "{% raw %}{{ a.items() ' }}{% endraw %}{{ a|items }}",
    },
    { name: "behind a dict", source: "{{ {'a': {}}.items() }}", read: "{{ {'a': {}}|items }}" },
    {
      name: "a generation block has variables of its own",
      source: "{%- generation -%}a{%+ endgeneration %}",
      read: "{%- with -%}a{%+ endwith %}",
    },
  ])("$name", ({ source, read }) => {
    expect(sourceOf(source)).toBe(read);
  });

  it("goes through a schema that has a property items", () => {
    const source = "{% for k, v in p.items() %}{{ k }}={{ v.type }};{% endfor %}";
    expect(render(source, { p: { items: { type: "array" }, m: { type: "string" } } })).toBe("items=array;m=string;");
  });
});

describe("MiniMax M2's template", () => {
  const end = "{%- if add_generation_prompt -%}\n{{- ']~b]ai' ~ '\\n' ~ '<think>' ~ '\\n' }}\n{%- endif -%}\n";
  const source = `<minimax:tool_call>${end}`;
  const open = "<minimax:tool_call>]~b]ai\n<think>\n";

  it.each([
    { given: {}, prompt: open },
    { given: { thinking: true, enable_thinking: false }, prompt: open },
    { given: { thinking: false, enable_thinking: true }, prompt: `${open}</think>\n` },
    { given: { enable_thinking: false }, prompt: `${open}</think>\n` },
    { given: { thinking: "false" }, prompt: open },
    { given: { thinking_mode: "chat" }, prompt: `${open}</think>\n` },
    { given: { thinking_mode: "thinking" }, prompt: open },
    { given: { thinking: false, add_generation_prompt: false }, prompt: "<minimax:tool_call>" },
  ])("closes the thoughts that it opens with $given", ({ given, prompt }) => {
    expect(render(source, { add_generation_prompt: true, ...given })).toBe(prompt);
  });

  it("is left alone where it differs", () => {
    const other = source.replace("~ '<think>'", "~ '<think>' ~ ''");
    expect(sourceOf(other)).toBe(other);
  });
});

describe("Gemma 4's template", () => {
  const source = `{%- macro call(name) -%}<|tool_call>call:{{ name }}{%- endmacro -%}
{%- set ns_turn = namespace(last_user_idx=0) -%}
{%- for message in messages -%}
    {%- if message.get('reasoning') and loop.index0 > ns_turn.last_user_idx and message.get('tool_calls') -%}
        {{- '<|channel>thought\\n' + message['reasoning'] + '\\n<channel|>'}}
    {%- endif -%}
            {%- if message.get('tool_calls') -%}
                {%- for tool_call in message['tool_calls'] -%}
                    {%- set function = tool_call['function'] -%}
                    {{- '<|tool_call>call:' + function['name'] + '{' -}}
                    {{- '}<tool_call|>' -}}
                {%- endfor -%}
            {%- endif -%}
    {{- message.content -}}
{%- endfor -%}`;
  const calls = ["f", "g"].map((name) => ({ function: { name } }));
  const thought = (text: string) => `<|channel>thought\n${text}\n<channel|>`;

  it.each([
    {
      name: "a segment before each call and one behind",
      message: { reasoning_content: ["a", "", "c"], tool_calls: calls },
      prompt: `${thought("a")}<|tool_call>call:f{}<tool_call|><|tool_call>call:g{}<tool_call|>${thought("c")}`,
    },
    {
      name: "a text before the first call",
      message: { reasoning_content: "a", tool_calls: calls },
      prompt: `${thought("a")}<|tool_call>call:f{}<tool_call|><|tool_call>call:g{}<tool_call|>`,
    },
    {
      name: "all of it where there are no calls",
      message: { reasoning_content: ["a", "", "b"], content: "x" },
      prompt: `${thought("a")}${thought("b")}x`,
    },
    { name: "nothing where there is none", message: { content: "x" }, prompt: "x" },
  ])("prints $name", ({ message, prompt }) => {
    expect(render(source, { messages: [message] })).toBe(prompt);
  });
});
