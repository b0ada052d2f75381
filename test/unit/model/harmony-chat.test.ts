import { Buffer } from "node:buffer";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Engine, enginePrompt } from "./engine-prompt.ts";

// Expected prompts are those of vllm 0.33.0 with oss-harmony 0.0.11 and sglang 0.5.23 with openai-harmony 0.0.4 (scripts/oracle/engines).

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: new Date(2026, 10, 30, 9) }));
afterEach(() => vi.useRealTimers());

const template = "{{ messages | length }}";
const config = Buffer.from('{"model_type":"gpt_oss","vocab_size":100}');
const chat = "/v1/chat/completions";
const responses = "/v1/responses";

function promptOf(profile: Engine, path: string, body: object) {
  return enginePrompt(path, { profile, template, files: { config } }, body);
}

/** The prompt behind the system message, which is checked here. */
async function restOf(profile: Engine, path: string, body: object, effort = "medium", hasTools = false) {
  const system =
    "<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n" +
    `Current date: 2026-11-30\n\nReasoning: ${effort}\n\n# Valid channels: analysis, commentary, final. Channel must be included for every message.`;
  const toolsLine = hasTools ? "\nCalls to these tools must go to the commentary channel: 'functions'." : "";
  const head = `${system}${toolsLine}<|end|>`;
  const prompt = (await promptOf(profile, path, body)) ?? "";
  expect(prompt.slice(0, head.length)).toBe(head);
  return prompt.slice(head.length);
}

const hi = { role: "user", content: "Hi" };
const turn = "<|start|>user<|message|>Hi<|end|>";
const opened = "<|start|>assistant";
const call = { id: "c", type: "function", function: { name: "f", arguments: '{"a": 1}' } };

describe("gpt-oss at vLLM", () => {
  it("is told the date, and nothing else that it was not asked", async () => {
    expect(await restOf("vllm", chat, { messages: [hi] })).toBe(`${turn}${opened}`);
  });

  it("gets instructions and tools in the developer's message", async () => {
    const tools = [
      { type: "function", function: { name: "f", description: "A\nb\n", parameters: { type: "object" } } },
      { type: "function", function: { name: "g" } },
    ];
    const body = { messages: [{ role: "system", content: "Be nice" }, hi], reasoning_effort: "high", tools };
    expect(await restOf("vllm", chat, body, "high", true)).toBe(
      "<|start|>developer<|message|># Instructions\n\nBe nice\n\n# Tools\n\n## functions\n\nnamespace functions {\n\n// A\n// b\n" +
        `type f = (_: {\n}) => any;\n\ntype g = () => any;\n\n} // namespace functions<|end|>${turn}${opened}`,
    );
  });

  it("has text, thoughts and calls of a turn in its channels, and forgets thoughts before an answer", async () => {
    const said = { role: "assistant", content: "let me", reasoning: "hmm", tool_calls: [call] };
    const result = { role: "tool", tool_call_id: "c", content: "res" };
    const expected = (thoughts: string) =>
      `${turn}<|start|>assistant<|channel|>commentary<|message|>let me<|end|>${thoughts}` +
      '<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"a": 1}<|call|>' +
      "<|start|>functions.f<|channel|>commentary to=assistant<|message|>res<|end|>";
    expect(await restOf("vllm", chat, { messages: [hi, said, result] })).toBe(
      `${expected("<|start|>assistant<|channel|>analysis<|message|>hmm<|end|>")}${opened}`,
    );
    const answer = { role: "assistant", content: "done", reasoning_content: "thought" };
    expect(await restOf("vllm", chat, { messages: [hi, said, result, answer, hi] })).toBe(
      `${expected("")}<|start|>assistant<|channel|>final<|message|>done<|end|>${turn}${opened}`,
    );
  });

  it("reads Messages by way of chat, with Python's text of inputs", async () => {
    const content = [{ type: "tool_use", id: "x", name: "f", input: { é: [1, 2.5, "\u007f"] } }];
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "x", content: "r" }] };
    const body = {
      max_tokens: 9,
      thinking: { type: "disabled" },
      messages: [hi, { role: "assistant", content }, result],
    };
    expect(await restOf("vllm", "/v1/messages", body, "low")).toBe(
      `${turn}<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{"\\u00e9": [1, 2.5, "\\u007f"]}<|call|>` +
        `<|start|>functions.f<|channel|>commentary to=assistant<|message|>r<|end|>${opened}`,
    );
  });

  it.each([{ reasoning_effort: "none" }, { reasoning_effort: "xhigh" }])("refuses the effort of %j", async (effort) => {
    expect(await promptOf("vllm", chat, { messages: [hi], ...effort })).toBe("by load");
  });
});

describe("items of a Responses request to gpt-oss", () => {
  const input = [
    { role: "developer", content: "D" },
    hi,
    { type: "reasoning", id: "r", summary: [], content: [{ type: "reasoning_text", text: "t" }] },
    { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "o" },
  ];
  const thought = "<|start|>assistant<|channel|>analysis<|message|>t<|end|>";
  const called = "<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{}<|call|>";

  it("at vLLM: a developer's first is the instructions", async () => {
    expect(await restOf("vllm", responses, { input, reasoning: { effort: "low" } }, "low")).toBe(
      `<|start|>developer<|message|># Instructions\n\nD<|end|>${turn}${thought}${called}` +
        `<|start|>functions.f<|channel|>commentary to=assistant<|message|>o<|end|>${opened}`,
    );
  });

  it("at SGLang: the developer's message is always there, and results go to nobody", async () => {
    const body = { input, reasoning: { effort: "minimal" } };
    expect(await restOf("sglang", responses, body, "low")).toBe(
      `<|start|>developer<|message|><|end|><|start|>developer<|message|>D<|end|>${turn}${thought}${called}` +
        `<|start|>functions.f<|message|>o<|end|>${opened}`,
    );
    expect(await restOf("sglang", responses, { input: "Hi", instructions: "I" })).toBe(
      `<|start|>developer<|message|># Instructions\n\nI<|end|>${turn}${opened}`,
    );
  });

  it.each([
    { profile: "vllm", body: { input: input.slice(4) } },
    { profile: "sglang", body: { input: input.slice(4) } },
    { profile: "sglang", body: { input, tool_choice: "none" } },
    { profile: "vllm", body: { input, tools: [{ type: "custom", name: "c" }] } },
  ] as const)("that $profile refuses have no prompt", async ({ profile, body }) => {
    expect(await promptOf(profile, responses, body)).toBe("by load");
  });

  it("of chat at SGLang are rendered by the template", async () => {
    expect(await promptOf("sglang", chat, { messages: [hi] })).toBe("1");
  });
});
