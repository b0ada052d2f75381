import { describe, expect, it } from "vitest";
import { type Engine, enginePrompt } from "./engine-prompt.ts";

function promptOf(profile: Engine, template: string, body: object): Promise<string | undefined> {
  return enginePrompt("/v1/chat/completions", { profile, template }, body);
}

const user = { role: "user", content: "hi" };

function callOf(text: string): object {
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: text } }],
  };
}

const toolTurn = callOf('{"b":1.0,"10":"é"}');
const parts = [
  { type: "text", text: "a" },
  { type: "text", text: "b" },
];
const tools = [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }];

// Seen at the engines' own code, in vllm 0.33.0 and sglang 0.5.23.
describe("a conversation for an engine's own server", () => {
  it.each(["vllm", "sglang"] as const)("has empty text for content that is not there at %s", async (profile) => {
    const template = "{% for m in messages %}[{{ m.content }}]{% endfor %}";
    expect(await promptOf(profile, template, { messages: [user, toolTurn, user] })).toBe("[hi][][hi]");
  });

  it.each(["vllm", "sglang"] as const)("has the arguments of calls as objects at %s", async (profile) => {
    const template = "{{ messages[1].tool_calls[0].function.arguments | tojson }}";
    expect(await promptOf(profile, template, { messages: [user, toolTurn, user] })).toBe('{"b": 1.0, "10": "é"}');
  });

  it.each([
    { text: "{", vllm: "{}", sglang: "by load" },
    { text: "[1]", vllm: "{}", sglang: "by load" },
    { text: "", vllm: "{}", sglang: "by load" },
    { text: '{"a": NaN}', vllm: "by load", sglang: "by load" },
  ])("with arguments $text has $vllm at vLLM, $sglang at SGLang", async ({ text, ...expected }) => {
    const template = "{{ messages[1].tool_calls[0].function.arguments | tojson }}";
    const messages = [user, callOf(text), user];
    expect(await promptOf("vllm", template, { messages })).toBe(expected.vllm);
    expect(await promptOf("sglang", template, { messages })).toBe(expected.sglang);
  });

  it.each([
    { profile: "vllm", plain: "a\nb", looping: "<a><b>" },
    { profile: "sglang", plain: "a b", looping: "<a><b>" },
  ] as const)(
    "joins text parts for a template that prints content at $profile",
    async ({ profile, plain, looping }) => {
      const messages = [{ role: "user", content: parts }];
      expect(await promptOf(profile, "{{ messages[0].content }}", { messages })).toBe(plain);
      const template =
        "{% for message in messages %}{% for part in message.content %}<{{ part.text }}>{% endfor %}{% endfor %}";
      expect(await promptOf(profile, template, { messages })).toBe(looping);
    },
  );

  it("has plain text as a part at vLLM, and as it is at SGLang, for a template that goes over the parts", async () => {
    const template =
      "{% for message in messages %}{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}<{{ part.text }}>{% endfor %}{% endif %}{% endfor %}";
    expect(await promptOf("vllm", template, { messages: [user] })).toBe("<hi>");
    expect(await promptOf("sglang", template, { messages: [user] })).toBe("hi");
  });

  it.each([
    {
      template: "{% set rest = messages[1:] %}{% for m in rest %}{% for p in m.content %}x{% endfor %}{% endfor %}",
      parts: true,
    },
    {
      template:
        "{% set ns = namespace(all=messages) %}{% for m in ns.all %}{% for p in m['content'] %}x{% endfor %}{% endfor %}",
      parts: true,
    },
    {
      template:
        "{% macro show(c) %}{% for p in c %}x{% endfor %}{% endmacro %}{% for m in messages %}{{ show(m.content) }}{% endfor %}",
      parts: true,
    },
    {
      template:
        "{% macro show(c) %}{% for p in c %}x{% endfor %}{% endmacro %}{% for m in messages %}{{ m.content }}{% endfor %}",
      parts: false,
    },
    {
      template: "{% for content in messages %}{% for p in content.tool_calls or [] %}x{% endfor %}{% endfor %}",
      parts: false,
    },
  ])("is given to $template by vLLM in parts: $parts", async ({ template, parts }) => {
    const probe = `{{ messages[0].content is string }}{% if false %}${template}{% endif %}`;
    expect(await promptOf("vllm", probe, { messages: [user] })).toBe(parts ? "False" : "True");
  });

  it("lets the client's template arguments win over the special tokens, not over the request", async () => {
    const body = { messages: [user], chat_template_kwargs: { add_generation_prompt: false, bos_token: "<x>" } };
    expect(await promptOf("vllm", "{{ bos_token }}{{ add_generation_prompt }}", body)).toBe("<x>True");
    expect(await promptOf("sglang", "{{ bos_token }}", body)).toBe("by load");
  });

  it("drops null and auto among the template arguments at vLLM", async () => {
    const body = { messages: [user], chat_template_kwargs: { a: null, b: "auto", c: 0 } };
    const template = "{{ a is defined }}{{ b is defined }}{{ c }}";
    expect(await promptOf("vllm", template, body)).toBe("FalseFalse0");
    expect(await promptOf("sglang", template, body)).toBe("TrueTrue0");
  });

  it.each([
    { effort: "low", vllm: "low True -", sglang: "low True True" },
    { effort: "none", vllm: "none False -", sglang: "none False False" },
  ])("turns thinking on or off by the effort $effort", async ({ effort, ...expected }) => {
    const template = "{{ reasoning_effort }} {{ enable_thinking }} {{ thinking | default('-') }}";
    const body = { messages: [user], reasoning_effort: effort };
    expect(await promptOf("vllm", template, body)).toBe(expected.vllm);
    expect(await promptOf("sglang", template, body)).toBe(expected.sglang);
  });

  it.each([
    { body: {}, vllm: "False 1 - None", sglang: "False 1 - None" },
    { body: { chat_template_kwargs: { enable_thinking: null } }, vllm: "False 1 - None", sglang: "None 1 - None" },
    { body: { chat_template_kwargs: { enable_thinking: true } }, vllm: "True 1 - None", sglang: "True 1 - None" },
    { body: { reasoning_effort: "low" }, vllm: "True 1 low None", sglang: "True 1 low None" },
  ])(
    "has the variables that the engine is given, unless the request sets them: $body",
    async ({ body, ...expected }) => {
      const template = "{{ enable_thinking }} {{ n }} {{ reasoning_effort | default('-') }} {{ x }}";
      const templateArgs = { enable_thinking: false, n: 1, x: null };
      for (const profile of ["vllm", "sglang"] as const) {
        const served = { profile, template, templateArgs };
        const prompt = await enginePrompt("/v1/chat/completions", served, { messages: [user], ...body });
        expect(prompt).toBe(expected[profile]);
      }
    },
  );

  it("has no known prompt at SGLang where that is given an effort, which wins over the client's", async () => {
    const served = { template: "{{ reasoning_effort }}", templateArgs: { reasoning_effort: "low" } };
    const body = { messages: [user] };
    expect(await enginePrompt("/v1/chat/completions", { profile: "sglang", ...served }, body)).toBe("by load");
    expect(await enginePrompt("/v1/chat/completions", { profile: "vllm", ...served }, body)).toBe("low");
  });

  it.each([
    { body: {}, effort: "high" },
    { body: { reasoning_effort: "none" }, effort: "no_think" },
    { body: { reasoning_effort: "minimal" }, effort: "low" },
    { body: { reasoning_effort: "medium" }, effort: "high" },
    { body: { reasoning_effort: "ultra" }, effort: "by load" },
    { body: { chat_template_kwargs: { reasoning_effort: "no_think" } }, effort: "no_think" },
    { body: { reasoning_effort: "low", chat_template_kwargs: { reasoning_effort: "high" } }, effort: "low" },
  ])("has the efforts of Hunyuan's templates at SGLang with that parser: $body", async ({ body, effort }) => {
    const template = "{{ reasoning_effort }}{# reasoning_mode_token no_think #}";
    const served = { profile: "sglang", template, reasoningParser: "hunyuan" } as const;
    expect(await enginePrompt("/v1/chat/completions", served, { messages: [user], ...body })).toBe(effort);
  });

  it.each([
    { profile: "vllm", choice: "none", names: "f g" },
    { profile: "sglang", choice: "none", names: "" },
    { profile: "vllm", choice: { type: "function", function: { name: "g" } }, names: "f g" },
    { profile: "sglang", choice: { type: "function", function: { name: "g" } }, names: "g" },
    { profile: "vllm", choice: { type: "function", function: { name: "h" } }, names: "by load" },
    { profile: "sglang", choice: { type: "function", function: { name: "h" } }, names: "by load" },
  ] as const)("with tool_choice $choice has tools '$names' at $profile", async ({ profile, choice, names }) => {
    const second = { type: "function", function: { name: "g" } };
    const body = { messages: [user], tools: [...tools, second], tool_choice: choice };
    expect(await promptOf(profile, "{{ (tools or []) | map(attribute='function.name') | join(' ') }}", body)).toBe(
      names,
    );
  });

  it("offers SGLang's tools as functions alone when the template refuses them", async () => {
    const template = "{% if tools[0].function is defined %}{{ raise_exception('no') }}{% endif %}{{ tools[0].name }}";
    expect(await promptOf("sglang", template, { messages: [user], tools })).toBe("f");
    expect(await promptOf("vllm", template, { messages: [user], tools })).toBe("refused");
  });

  it("knows the declared special tokens, and no others", async () => {
    const template = "{{ bos_token }}{{ eos_token }}{{ pad_token is defined }}";
    expect(await promptOf("sglang", template, { messages: [user] })).toBe("<s><e>False");
  });
});

describe("the last turn of a conversation", () => {
  const template =
    "{% for m in messages %}{{ m.role[0] }}:{{ m.content }};{% endfor %}{% if add_generation_prompt %}a:{% endif %}";
  const messages = [user, { role: "assistant", content: "so " }];

  it("of an assistant is continued within its turn at vLLM, behind a new one at SGLang", async () => {
    const body = { messages, continue_final_message: true, add_generation_prompt: false };
    expect(await promptOf("vllm", template, body)).toBe("u:hi;a:so ");
    expect(await promptOf("sglang", template, body)).toBe("u:hi;a:so ");
    expect(await promptOf("vllm", template, { messages, continue_final_message: true })).toBe("by load");
    expect(await promptOf("sglang", template, { messages, continue_final_message: true })).toBe("u:hi;a:so ");
  });

  it("of an assistant is the user's at SGLang when it is not continued", async () => {
    expect(await promptOf("vllm", template, { messages })).toBe("u:hi;a:so ;a:");
    expect(await promptOf("sglang", template, { messages })).toBe("u:hi;u:so ;a:");
  });
});

describe("a developer's message", () => {
  const template = "{% for m in messages %}{{ m.role }}={{ m.content }};{% endfor %}";
  const messages = [{ role: "system", content: "s" }, user, { role: "developer", content: "d" }];

  it("becomes part of the system prompt at vLLM, unless the template knows developers", async () => {
    expect(await promptOf("vllm", template, { messages })).toBe("system=s\n\nd;user=hi;");
    expect(await promptOf("vllm", `${template}{# 'developer' #}`, { messages })).toBe("system=s;user=hi;developer=d;");
    expect(await promptOf("sglang", template, { messages })).toBe("system=s;user=hi;developer=d;");
  });
});

describe("members of messages", () => {
  it.each([
    { member: { name: "n" }, vllm: "n", sglang: "-" },
    { member: { reasoning_content: "r" }, vllm: "-", sglang: "-" },
  ])("of a user: $member", async ({ member, ...expected }) => {
    const template = "{{ messages[0].name | default('-') }}{{ messages[0].reasoning_content | default('') }}";
    const body = { messages: [{ ...user, ...member }] };
    expect(await promptOf("vllm", template, body)).toBe(expected.vllm);
    expect(await promptOf("sglang", template, body)).toBe(expected.sglang);
  });

  it.each([
    { member: { reasoning_content: "r" }, vllm: "rr", sglang: "-r" },
    { member: { reasoning: "r" }, vllm: "rr", sglang: "--" },
    { member: { reasoning: null, reasoning_content: "r" }, vllm: "rr", sglang: "-r" },
    { member: { reasoning: "q", reasoning_content: "r" }, vllm: "qq", sglang: "-r" },
  ])("of an assistant: $member", async ({ member, ...expected }) => {
    const template = "{{ messages[1].reasoning | default('-') }}{{ messages[1].reasoning_content | default('-') }}";
    const body = { messages: [user, { role: "assistant", content: "x", ...member }, user] };
    expect(await promptOf("vllm", template, body)).toBe(expected.vllm);
    expect(await promptOf("sglang", template, body)).toBe(expected.sglang);
  });

  it.each([
    { profile: "vllm", message: { role: "user", content: null } },
    { profile: "vllm", message: { role: "user", content: "x", name: null } },
    { profile: "vllm", message: { role: "user", content: ["x"] } },
    { profile: "vllm", message: { role: "user", content: [{ type: "input_text", text: "x" }] } },
    { profile: "sglang", message: { role: "user" } },
    { profile: "sglang", message: { role: "robot", content: "x" } },
    { profile: "sglang", message: { role: "user", content: [{ type: "refusal", refusal: "x" }] } },
    { profile: "sglang", message: { role: "user", content: [{ type: "thinking", thinking: "x" }] } },
  ] as const)("leave $message to $profile's own verdict", async ({ profile, message }) => {
    expect(await promptOf(profile, "{{ messages[0].content }}", { messages: [message] })).toBe("by load");
  });

  it.each([
    { message: { role: "user" }, prompt: "" },
    { message: { role: "robot", content: "x" }, prompt: "x" },
    { message: { role: "user", content: ["x", { type: "text", text: "y" }] }, prompt: "x\ny" },
    { message: { role: "user", content: [{ type: "input_text", text: "x" }, parts[0]] }, prompt: "x\na" },
    { message: { role: "assistant", content: [{ type: "refusal", refusal: "x" }] }, prompt: "x" },
    { message: { role: "system", content: "x-anthropic-billing-header: v=1;\nrest" }, prompt: "rest" },
  ])("are taken by vLLM: $message", async ({ message, prompt }) => {
    expect(await promptOf("vllm", "{{ messages[0].content }}", { messages: [message] })).toBe(prompt);
  });

  it.each([
    { message: { role: "SYSTEM", content: "x" }, prompt: "system:x" },
    { message: { role: "system", content: null }, prompt: "system:" },
    { message: { role: "tool", tool_call_id: "c", content: parts }, prompt: "tool:a b" },
  ])("are taken by SGLang: $message", async ({ message, prompt }) => {
    expect(await promptOf("sglang", "{{ messages[0].role }}:{{ messages[0].content }}", { messages: [message] })).toBe(
      prompt,
    );
  });
});
