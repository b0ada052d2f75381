import { describe, expect, it } from "vitest";
import { type EngineModel, enginePrompt } from "./engine-prompt.ts";

/** Prints every turn with its calls and its reasoning; takes content as text. */
const printing =
  "{% for m in messages %}[{{ m.role }}{% if m.reasoning_content %}~{{ m.reasoning_content }}{% endif %}:{{ m.content }}" +
  "{% for c in m.tool_calls or [] %}<{{ c.id }} {{ c.function.name }} {{ c.function.arguments | tojson }}>{% endfor %}]{% endfor %}";

/** Refuses a system message that does not come first. */
const systemFirst = `{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('no') }}{% endif %}{% endfor %}${printing}`;

const hello = { role: "user", content: "hi" };

function promptOf(
  body: object,
  model: Partial<EngineModel> & Pick<EngineModel, "profile">,
): Promise<string | undefined> {
  return enginePrompt("/v1/messages", { template: printing, ...model }, { max_tokens: 5, messages: [hello], ...body });
}

const text = (value: string) => ({ type: "text", text: value });
const result = (content: unknown) => ({ type: "tool_result", tool_use_id: "t", content });
const use = { type: "tool_use", id: "t", name: "f", input: { n: 1.5, s: "é" } };
const call = '<t f {"n": 1.5, "s": "é"}>';
const header = text("x-anthropic-billing-header: v=1;");
const turn = (role: string, ...content: readonly object[]) => ({ messages: [hello, { role, content }] });

// The prompts that vllm 0.33.0 and sglang 0.5.23 make of these.
describe("a Messages request", () => {
  it.each([
    {
      name: "system blocks",
      body: { system: [text("a"), header, text(""), text("b")] },
      vllm: "[system:ab][user:hi]",
      sglang: `[system:a\n${header.text}\nb][user:hi]`,
    },
    { name: "a blank system prompt", body: { system: " " }, vllm: "[system: ][user:hi]", sglang: "[user:hi]" },
    {
      name: "a system message between turns",
      body: { system: "s", messages: [hello, { role: "system", content: "t" }, hello] },
      vllm: "[system:s][user:hi][system:t][user:hi]",
      sglang: "[system:s][user:hi][system:t][user:hi]",
    },
    {
      name: "text before a tool's result",
      body: turn("user", text("a"), result("r"), text("b"), text("c")),
      vllm: "[user:hi][tool:r][user:a\nb\nc]",
      sglang: "[user:hi][user:a][tool:r][user:b c]",
    },
    {
      name: "results alone",
      body: turn("user", result([text("r"), text("q")]), result(null)),
      vllm: "[user:hi][tool:r\nq][tool:]",
      sglang: "[user:hi][tool:r q][tool:]",
    },
    {
      name: "a search result, and a result that refers to a tool",
      body: turn("user", result([text("r"), { type: "tool_reference", tool_name: "g" }, text("q")])),
      vllm: "[user:hi][tool:r\nq][tool:g]",
      sglang: "[user:hi][tool:r][tool:][tool:q]",
    },
    {
      name: "a call without text",
      body: { messages: [hello, { role: "assistant", content: [use] }, { role: "user", content: [result("r")] }] },
      vllm: `[user:hi][assistant:${call}][tool:r]`,
      sglang: `[user:hi][assistant:${call}][tool:r]`,
    },
    {
      name: "an assistant's turn at the end",
      body: turn("assistant", text("a")),
      vllm: "[user:hi][assistant:a]",
      sglang: "[user:hi][user:a]",
    },
    {
      name: "an empty assistant's turn",
      body: { messages: [hello, { role: "assistant", content: [text("")] }, hello] },
      vllm: "[user:hi][assistant:][user:hi]",
      sglang: "[user:hi][assistant:][user:hi]",
    },
    {
      name: "thinking of an earlier turn",
      body: {
        messages: [
          hello,
          { role: "assistant", content: [{ type: "thinking", thinking: "w", signature: "s" }, text("a")] },
          hello,
        ],
      },
      vllm: "[user:hi][assistant~w:a][user:hi]",
      sglang: "[user:hi][assistant:a][user:hi]",
    },
    {
      name: "an image",
      body: turn("user", { type: "image", source: { type: "base64", data: "AAAA" } }),
      vllm: "by load",
      sglang: "by load",
    },
    {
      name: "redacted thinking",
      body: {
        messages: [hello, { role: "assistant", content: [{ type: "redacted_thinking", data: "x" }, text("a")] }, hello],
      },
      vllm: "[user:hi][assistant:a][user:hi]",
      sglang: "by load",
    },
  ])("with $name", async ({ body, vllm, sglang }) => {
    expect(await promptOf(body, { profile: "vllm" })).toBe(vllm);
    expect(await promptOf(body, { profile: "sglang" })).toBe(sglang);
  });

  it("puts all system messages to the head where the template refuses them elsewhere", async () => {
    const body = {
      system: "s",
      messages: [hello, { role: "system", content: " t " }, { role: "system", content: [header] }],
    };
    expect(await promptOf(body, { profile: "vllm", template: systemFirst })).toBe("[system:s t ][user:hi]");
    expect(await promptOf(body, { profile: "sglang", template: systemFirst })).toBe(
      `[system:s\nt\n${header.text}][user:hi]`,
    );
  });
});

describe("thinking in a Messages request", () => {
  const template =
    "{{ enable_thinking | default('-') }} {{ reasoning_effort | default('-') }}{# enable_thinking is not defined or enable_thinking #}";

  it.each([
    { body: { thinking: { type: "disabled" } }, vllm: "False none", sglang: "- -", withParser: "False -" },
    { body: { thinking: { type: "adaptive" } }, vllm: "- -", sglang: "by load", withParser: "True -" },
    {
      body: { thinking: { type: "enabled", budget_tokens: 5 } },
      vllm: "by load",
      sglang: "by load",
      withParser: "by load",
    },
    { body: { output_config: { effort: "xhigh" } }, vllm: "True xhigh", sglang: "- max", withParser: "- max" },
  ])("$body", async ({ body, vllm, sglang, withParser }) => {
    expect(await promptOf(body, { profile: "vllm", template })).toBe(vllm);
    expect(await promptOf(body, { profile: "sglang", template })).toBe(sglang);
    expect(await promptOf(body, { profile: "sglang", template, reasoningParser: "qwen3" })).toBe(withParser);
  });

  it.each([
    { body: {}, effort: "high" },
    { body: { thinking: { type: "disabled" } }, effort: "no_think" },
    { body: { thinking: { type: "adaptive" } }, effort: "high" },
    { body: { thinking: { type: "disabled" }, output_config: { effort: "low" } }, effort: "low" },
  ])("is an effort for Hunyuan's templates at SGLang: $body", async ({ body, effort }) => {
    const hunyuan = "{{ reasoning_effort }}{# reasoning_mode_token no_think #}";
    expect(await promptOf(body, { profile: "sglang", template: hunyuan, reasoningParser: "hunyuan" })).toBe(effort);
  });

  it("turned off is a low effort at vLLM where the template does not know another", async () => {
    const body = { thinking: { type: "disabled" } };
    const ignoring = "{{ 'deep' if reasoning_effort == 'low' else 'deeper' }}";
    expect(await promptOf(body, { profile: "vllm", template: ignoring })).toBe("deep");
    const refusing = "{% if reasoning_effort == 'none' %}{{ raise_exception('no') }}{% endif %}{{ reasoning_effort }}";
    expect(await promptOf(body, { profile: "vllm", template: refusing })).toBe("low");
  });

  it.each([
    { parser: "qwen3", mark: "<think>w\n</think>" },
    { parser: "mistral", mark: "[THINK]w\n[/THINK]" },
    { parser: "another", mark: undefined },
  ])("of an earlier turn stands between the marks of SGLang's parser $parser", async ({ parser, mark }) => {
    const content = [{ type: "thinking", thinking: "w" }, text("a")];
    const body = { messages: [hello, { role: "assistant", content }, hello] };
    const prompt = await promptOf(body, { profile: "sglang", reasoningParser: parser });
    expect(prompt).toBe(mark === undefined ? "by load" : `[user:hi][assistant:${mark} a][user:hi]`);
  });
});

describe("tools of a Messages request", () => {
  const template = "{{ tools | tojson if tools is not none else 'none' }}";
  const tool = { name: "f", input_schema: { properties: {} }, cache_control: { type: "ephemeral" } };

  it.each([
    {
      body: { tools: [tool] },
      vllm: '[{"type": "function", "function": {"name": "f", "description": null, "parameters": {"properties": {}, "type": "object"}}}]',
      sglang:
        '[{"type": "function", "function": {"name": "f", "description": "", "parameters": {"properties": {}, "type": "object"}, "strict": false}, "defer_loading": null}]',
    },
    { body: { tools: [] }, vllm: "[]", sglang: "none" },
    { body: { tools: [{ type: "web_search_20250305", name: "web_search" }] }, vllm: "by load", sglang: "none" },
    { body: { tools: [tool], tool_choice: { type: "none" } }, vllm: "tools", sglang: "none" },
    { body: { tools: [tool], tool_choice: { type: "tool", name: "g" } }, vllm: "tools", sglang: "by load" },
  ])("$body", async ({ body, vllm, sglang }) => {
    const given = await promptOf(body, { profile: "vllm", template });
    if (vllm === "tools") expect(given).toContain('"name": "f"');
    else expect(given).toBe(vllm);
    expect(await promptOf(body, { profile: "sglang", template })).toBe(sglang);
  });
});
