import { describe, expect, it } from "vitest";
import { type Engine, enginePrompt } from "./engine-prompt.ts";

/** Prints every turn with its calls and its reasoning; takes content as text. */
const printing =
  "{% for m in messages %}[{{ m.role }}{% if m.reasoning_content %}~{{ m.reasoning_content }}{% endif %}:{{ m.content }}" +
  "{% for c in m.tool_calls or [] %}<{{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}>{% endfor %}]{% endfor %}";

const user = { role: "user", content: "hi" };

function promptOf(profile: Engine, body: object, template: string = printing): Promise<string | undefined> {
  return enginePrompt("/v1/responses", { profile, template }, body);
}

const output = (...texts: readonly string[]) => ({
  type: "message",
  role: "assistant",
  content: texts.map((text) => ({ type: "output_text", text })),
});
const call = { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' };
const result = { type: "function_call_output", call_id: "c", output: "r" };
const reasoning = { type: "reasoning", summary: [{ type: "summary_text", text: "s" }] };

// The prompts that vllm 0.33.0 and sglang 0.5.23 make of these.
describe("items of a Responses request", () => {
  it.each([
    { name: "text", items: [], vllm: "", sglang: "" },
    {
      name: "an output of two parts",
      items: [output("a", "b")],
      vllm: "[assistant:a]",
      sglang: "[assistant:a b]",
    },
    {
      name: "outputs that follow each other",
      items: [output("a"), output("b")],
      vllm: "[assistant:a][assistant:b]",
      sglang: "[assistant:a b]",
    },
    {
      name: "a call with its text and its result",
      items: [{ role: "assistant", content: "a" }, call, result],
      vllm: '[assistant:a<c f {"a": 1}>][tool:r]',
      sglang: '[assistant:a<c f {"a": 1}>][tool:r]',
    },
    {
      name: "a call of a namespace, and parts of a result",
      items: [
        { ...call, namespace: "n" },
        {
          ...result,
          output: [
            { type: "input_text", text: "r" },
            { type: "input_text", text: "q" },
          ],
        },
      ],
      vllm: '[assistant:<c n__f {"a": 1}>][tool:r\nq]',
      sglang: '[assistant:<c f {"a": 1}>][tool:rq]',
    },
    {
      name: "arguments that are no JSON",
      items: [{ ...call, arguments: "{" }, result],
      vllm: "[assistant:<c f {}>][tool:r]",
      sglang: "[assistant:<c f {}>][tool:r]",
    },
    {
      name: "a custom tool's call",
      items: [
        { type: "custom_tool_call", call_id: "c", name: "f", input: "i" },
        { type: "custom_tool_call_output", call_id: "c", output: "r" },
      ],
      vllm: '[assistant:<c f {"input": "i"}>][tool:r]',
      sglang: '[assistant:<c f {"input": "i"}>][tool:r]',
    },
    {
      name: "reasoning before text",
      items: [reasoning, { role: "assistant", content: "a" }],
      vllm: "[assistant~s:a]",
      sglang: "[assistant~s:a]",
    },
    {
      name: "reasoning that has content beside its summary",
      items: [{ ...reasoning, content: [{ type: "reasoning_text", text: "t" }] }, output("a")],
      vllm: "[assistant~t:a]",
      sglang: "[assistant~s:a]",
    },
    {
      name: "reasoning after text",
      items: [{ role: "assistant", content: "a" }, reasoning, { role: "assistant", content: "b" }],
      vllm: "[assistant~s:a][assistant:b]",
      sglang: "[assistant~s:a\n\nb]",
    },
    {
      name: "encrypted reasoning",
      items: [{ type: "reasoning", summary: [], encrypted_content: "x" }],
      vllm: "by load",
      sglang: "",
    },
    {
      name: "a developer's message",
      items: [{ role: "developer", content: [{ type: "input_text", text: "d" }] }],
      vllm: "[system:d]",
      sglang: "[system:Developer instructions:\nd]",
    },
    {
      name: "a reference to an item",
      items: [{ type: "item_reference", id: "x" }],
      vllm: "by load",
      sglang: "by load",
    },
    {
      name: "an image",
      items: [{ role: "user", content: [{ type: "input_image", image_url: "data:," }] }],
      vllm: "by load",
      sglang: "by load",
    },
  ])("$name", async ({ name, items, vllm, sglang }) => {
    const body = { input: [user, ...items, user] };
    const whole = (middle: string) => (middle === "by load" ? middle : `[user:hi]${middle}[user:hi]`);
    // vLLM puts developers' messages to the head, for a template that does not know the role.
    const expected = name === "a developer's message" ? "[system:d][user:hi][user:hi]" : whole(vllm);
    expect(await promptOf("vllm", body)).toBe(expected);
    expect(await promptOf("sglang", body)).toBe(whole(sglang));
  });

  it("has instructions at the head", async () => {
    const body = { instructions: "i", input: [{ role: "system", content: "s" }, user] };
    expect(await promptOf("vllm", body)).toBe("[system:i][system:s][user:hi]");
    expect(await promptOf("sglang", body)).toBe("[system:i][system:s][user:hi]");
    const systemFirst = `{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('no') }}{% endif %}{% endfor %}${printing}`;
    expect(await promptOf("sglang", body, systemFirst)).toBe("[system:i\n\ns][user:hi]");
  });

  it("is continued at vLLM when the last turn is not completed", async () => {
    const body = { input: [user, { ...output("a"), status: "incomplete" }] };
    const template = `${printing}{{ add_generation_prompt }}`;
    expect(await promptOf("vllm", body, template)).toBe("[user:hi][assistant:a");
    expect(await promptOf("sglang", body, template)).toBe("[user:hi][user:a]True");
  });
});

describe("tools of a Responses request", () => {
  const template = "{{ tools | tojson if tools is not none else 'none' }}";
  const tool = { type: "function", name: "f", parameters: {}, x: 1 };
  const vllmTool = '{"type": "function", "function": {"name": "f", "description": null, "parameters": {}}}';
  const sglangTool =
    '{"type": "function", "function": {"name": "f", "description": null, "parameters": {}, "strict": false}, "defer_loading": null}';

  it.each([
    { body: { tools: [tool] }, vllm: `[${vllmTool}]`, sglang: `[${sglangTool}]` },
    { body: { tools: [tool], tool_choice: "none" }, vllm: `[${vllmTool}]`, sglang: "none" },
    { body: { tools: [{ type: "web_search" }] }, vllm: "[]", sglang: "none" },
    { body: { tools: [] }, vllm: "none", sglang: "none" },
    { body: { tools: [{ ...tool, strict: null }] }, vllm: `[${vllmTool}]`, sglang: "by load" },
    {
      body: { tools: [{ type: "namespace", name: "n", description: "d", tools: [tool] }] },
      vllm: `[${vllmTool.replace('"f"', '"n__f"')}]`,
      sglang: "none",
    },
    { body: { tool_choice: "required" }, vllm: "by load", sglang: "by load" },
  ])("$body", async ({ body, vllm, sglang }) => {
    expect(await promptOf("vllm", { input: "x", ...body }, template)).toBe(vllm);
    expect(await promptOf("sglang", { input: "x", ...body }, template)).toBe(sglang);
  });
});

describe("reasoning in a Responses request", () => {
  const template =
    "{{ reasoning_effort | default('-') }} {{ enable_thinking | default('-') }} {{ thinking | default('-') }}";

  it.each([
    { reasoning: { effort: "low" }, vllm: "low True -", sglang: "low True True" },
    { reasoning: { effort: "none" }, vllm: "none False -", sglang: "none False False" },
    { reasoning: { summary: "auto" }, vllm: "- - -", sglang: "medium True True" },
    { reasoning: { effort: null }, vllm: "- - -", sglang: "- - -" },
    { reasoning: null, vllm: "- - -", sglang: "- - -" },
  ])("$reasoning", async ({ reasoning: given, vllm, sglang }) => {
    expect(await promptOf("vllm", { input: "x", reasoning: given }, template)).toBe(vllm);
    expect(await promptOf("sglang", { input: "x", reasoning: given }, template)).toBe(sglang);
  });
});
