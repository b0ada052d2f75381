import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../../src/api/index.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, parseJson, stringifyJson } from "../../../src/json/index.ts";
import { contentForm, shapeContent } from "../../../src/model/content-shape.ts";
import { cutAtFinalMessage, markFinalMessage } from "../../../src/model/final-message.ts";
import { frontendArgs } from "../../../src/model/frontend-args.ts";
import { reasoningForm, shapeReasoning } from "../../../src/model/reasoning-content.ts";
import { normalizeSystem, probeSystemRules } from "../../../src/model/system-roles.ts";
import { bareProbe, templateProbe } from "../../../src/model/template-probe.ts";
import { keepsArgumentText, parseArguments } from "../../../src/model/tool-arguments.ts";
import { compileTemplate } from "../../../src/template/index.ts";

function object(value: unknown): JsonObject {
  const parsed = parseJson(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
  if (!(parsed instanceof JsonObject)) throw new TypeError("an object expected");
  return parsed;
}

const withThinkingAliases = (args: JsonObject | undefined) => frontendArgs(chatWith(args), {});

function chatWith(templateArgs: JsonObject | undefined): ChatRequest {
  const none = { tools: undefined, toolChoice: undefined, responseFormat: undefined, hasMedia: false };
  return {
    ...none,
    messages: [],
    templateArgs,
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
  };
}

const message = (role: string, content: unknown) => object({ role, content });
const plain = (value: JsonObject) => JSON.parse(stringifyJson(value)) as unknown;
const probe = (source: string) => templateProbe(compileTemplate(source, { dialect: "dynamo" }), [], null);

// Expected values: dynamo-renderer 8.0.3, by its own tests and by running the Dynamo 1.6.1 frontend.

describe("system messages", () => {
  const lenient = "{% for m in messages %}{{ m.role }}{% endfor %}";
  const firstOnly =
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('first') }}{% endif %}{{ m.role }}{% endfor %}";
  const alternating =
    "{% for m in messages %}{% if m.role == 'system' and not loop.first %}{{ raise_exception('first') }}{% endif %}" +
    "{% if not loop.first and messages[loop.index0 - 1].role == 'user' and m.role == 'user' %}{{ raise_exception('alternate') }}{% endif %}{{ m.role }}{% endfor %}";

  it.each([
    { name: "anything goes", source: lenient, rules: { demotes: false, coalesces: false } },
    { name: "system comes first", source: firstOnly, rules: { demotes: true, coalesces: false } },
    { name: "users alternate, too", source: alternating, rules: { demotes: true, coalesces: true } },
    {
      name: "a template that takes no system at all is left alone",
      source: "{% if messages[0].role == 'system' %}{{ raise_exception('no') }}{% endif %}",
      rules: { demotes: false, coalesces: false },
    },
  ])("probes: $name", ({ source, rules }) => {
    const render = probe(source);
    expect(probeSystemRules((messages) => render(messages) !== undefined)).toEqual(rules);
  });

  const conversation = [
    message("system", "A"),
    message("system", "B"),
    message("user", "hi"),
    message("system", "reminder"),
  ];

  it("merges the leading ones, and demotes and coalesces the later ones", () => {
    expect(normalizeSystem(conversation, { demotes: true, coalesces: true }).map(plain)).toEqual([
      { role: "system", content: "A\n\nB" },
      { role: "user", content: "hi\n\nreminder" },
    ]);
  });

  it.each([
    { contents: ["", "a"], merged: "a" },
    { contents: ["a", ""], merged: "a" },
    { contents: ["", ""], merged: "" },
    { contents: ["", [{ type: "text", text: "a" }]], merged: [{ type: "text", text: "a" }] },
    { contents: [[], ""], merged: [] },
  ])("adds nothing for an empty text: $contents", ({ contents, merged }) => {
    const users = contents.map((content) => message("user", content));
    const rules = { demotes: false, coalesces: true };
    expect(normalizeSystem(users, rules).map(plain)).toEqual([{ role: "user", content: merged }]);
  });

  it("only demotes where users need not alternate", () => {
    expect(normalizeSystem(conversation, { demotes: true, coalesces: false }).map(plain)).toEqual([
      { role: "system", content: "A\n\nB" },
      { role: "user", content: "hi" },
      { role: "user", content: "reminder" },
    ]);
  });

  it("are left alone by a lenient template", () => {
    expect(normalizeSystem(conversation, { demotes: false, coalesces: false })).toBe(conversation);
  });
});

describe("content", () => {
  const form = (source: string) => {
    const template = compileTemplate(source, { dialect: "dynamo" });
    return contentForm(template.source, bareProbe(template));
  };

  it.each([
    { name: "plain text", source: "{{ messages[0].content }}", isRequired: false },
    { name: "parts only", source: "{% for p in messages[0].content %}{{ p.text }}{% endfor %}", isRequired: true },
    {
      name: "either",
      source:
        "{% if messages[0].content is string %}{{ messages[0].content }}{% else %}{{ messages[0].content[0].text }}{% endif %}",
      isRequired: false,
    },
  ])("probes a template that takes $name", ({ source, isRequired }) => {
    expect(form(source).isPartsRequired).toBe(isRequired);
  });

  it("asks without special tokens: a template that adds them fails", () => {
    expect(form("{{ bos_token + '' }}{% for p in messages[0].content %}{{ p.text }}{% endfor %}")).toEqual({
      isPartsRequired: false,
      placeholder: undefined,
    });
  });

  const roles = "{% for m in messages %}{{ '<|' + m.role + '|>' + m.content + '<|end|>' }}{% endfor %}<|assistant|>";

  it.each([
    { name: "Phi's signs", source: roles, placeholder: "<|image_{n}|>" },
    { name: "LLaVA's words", source: "USER: {{ messages[0].content }} ASSISTANT:", placeholder: "<image>" },
    { name: "nothing but content", source: "{% for m in messages %}{{ m['content'] }}{% endfor %}\n", placeholder: "" },
    {
      name: "content, and lists of parts in a form of its own",
      source: "{% for p in messages[0].content %}{{ p if p is string else p.text or '<i>' }}{% endfor %}",
      placeholder: undefined,
    },
    { name: "decorated content", source: "- {{ messages[0].content }}", placeholder: undefined },
  ])("stands for an image as the template shows by $name", ({ source, placeholder }) => {
    expect(form(source).placeholder).toBe(placeholder);
  });

  const texts = [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ];
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } };

  it.each([
    { name: "joins text parts by line ends", content: texts, isPartsRequired: false, shaped: "one\ntwo" },
    { name: "keeps an empty list", content: [], isPartsRequired: false, shaped: [] },
    { name: "keeps parts where they are required", content: texts, isPartsRequired: true, shaped: texts },
    {
      name: "makes a part of text where they are required",
      content: "a",
      isPartsRequired: true,
      shaped: [{ type: "text", text: "a" }],
    },
    {
      name: "renames media parts",
      content: [texts[0], image],
      isPartsRequired: false,
      shaped: [texts[0], { type: "image" }],
    },
    {
      name: "numbers what stands for media where there is a form of it",
      content: [texts[0], image, image, texts[1]],
      isPartsRequired: false,
      placeholder: "<|image_{n}|>",
      shaped: "one<|image_1|><|image_2|>two",
    },
  ])("$name", ({ content, isPartsRequired, placeholder, shaped }) => {
    const taken = { isPartsRequired, placeholder };
    expect(plain(shapeContent(message("user", content), taken))).toEqual({ role: "user", content: shaped });
  });
});

describe("reasoning of earlier turns", () => {
  const asText =
    "{% for m in messages %}{{ m.content }}{% if m.reasoning_content %}{{ m.reasoning_content.strip() }}{% endif %}{% endfor %}";
  const asList = "{% for m in messages %}{% for r in m.reasoning_content %}{{ r }}{% endfor %}{% endfor %}";

  it.each([
    {
      name: "puts it into the content of a template that does not know it",
      source: "{{ messages[0].content }}",
      form: "inline",
    },
    { name: "joins it for a template that takes text", source: asText, form: "text" },
    { name: "leaves it to a template that takes lists", source: asList, form: "as-is" },
  ])("$name", ({ source, form }) => {
    expect(reasoningForm(source, probe(source), false)).toBe(form);
  });

  it.each([
    { name: "a text before a text", content: "x", reasoning: "a", shaped: "<think>a</think>x" },
    {
      name: "a block for each segment that is not empty",
      content: "x",
      reasoning: ["a", "", "b"],
      shaped: "<think>a</think><think>b</think>x",
    },
    {
      name: "a part before parts",
      content: [{ type: "text", text: "x" }],
      reasoning: "a",
      shaped: [
        { type: "text", text: "<think>a</think>" },
        { type: "text", text: "x" },
      ],
    },
  ])("inline: $name", ({ content, reasoning, shaped }) => {
    const turn = object({ role: "assistant", content, reasoning_content: reasoning });
    expect(plain(shapeReasoning(turn, "inline"))).toEqual({ role: "assistant", content: shaped });
  });

  it("stays where it is empty", () => {
    const turn = object({ role: "assistant", content: "x", reasoning_content: "" });
    expect(shapeReasoning(turn, "inline")).toBe(turn);
  });

  it("leaves its place to the last member", () => {
    const turn = object({ role: "assistant", reasoning_content: "a", content: "x", name: "n", tool_calls: [] });
    expect([...shapeReasoning(turn, "inline").keys()]).toEqual(["role", "tool_calls", "content", "name"]);
  });

  it("becomes the content of a turn without one", () => {
    const turn = object({ role: "assistant", reasoning_content: "a" });
    expect(plain(shapeReasoning(turn, "inline"))).toEqual({ role: "assistant", content: "<think>a</think>" });
  });

  it("is joined by line ends as text", () => {
    const turn = object({ role: "assistant", content: "x", reasoning_content: ["a", "", "b"] });
    expect(shapeReasoning(turn, "text").get("reasoning_content")).toBe("a\nb");
  });
});

describe("arguments of earlier tool calls", () => {
  const call = (text: string) =>
    object({ role: "assistant", tool_calls: [{ function: { name: "f", arguments: text } }] });
  const keeping =
    "{% for m in messages %}{% for c in m.tool_calls %}{% if c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ c.function.arguments | tojson }}{% endif %}{% endfor %}{% endfor %}";

  it("stay text for a template that says so and prints them", () => {
    expect(keepsArgumentText(keeping, probe(keeping))).toBe(true);
    const quoting = keeping.replace("{{ c.function.arguments }}", "{{ c.function.arguments | tojson }}");
    expect(keepsArgumentText(quoting, probe(quoting))).toBe(false);
  });

  it("are parsed otherwise, digits and order kept", () => {
    const parsed = parseArguments(call('{"b": 1.0, "10": 2}'), false);
    expect(stringifyJson(parsed)).toBe(
      '{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":{"b":1.0,"10":2}}}]}',
    );
  });

  it("stay text when they are no JSON", () => {
    expect(plain(parseArguments(call("not json"), false))).toEqual(plain(call("not json")));
  });
});

describe("thinking switches", () => {
  it.each([
    { args: '{"enable_thinking": "false"}', isThinking: false },
    { args: '{"enable_thinking": 0}', isThinking: false },
    { args: '{"thinking": "off"}', isThinking: false },
    { args: '{"thinking": ""}', isThinking: false },
    { args: '{"thinking": "maybe"}', isThinking: false },
    { args: '{"thinking": "enabled"}', isThinking: false },
    { args: '{"enable_thinking": "\\u00a0ON "}', isThinking: true },
    { args: '{"enable_thinking": "\\ufefftrue"}', isThinking: false },
    { args: '{"thinking_mode": "disabled"}', isThinking: false },
    { args: '{"thinking_mode": 0}', isThinking: false },
    { args: '{"thinking_mode": 2.5}', isThinking: true },
    { args: '{"thinking_mode": " on "}', isThinking: true },
    { args: '{"thinking": null, "enable_thinking": "false"}', isThinking: false },
    { args: '{"thinking": true, "enable_thinking": false}', isThinking: true },
  ])("$args", ({ args, isThinking }) => {
    const switched = withThinkingAliases(object(args));
    expect([switched?.get("thinking"), switched?.get("enable_thinking")]).toEqual([isThinking, isThinking]);
  });

  it.each(["adaptive", " enabled", "", "maybe", null, []])(
    "leaves arguments alone that decide nothing: mode %j",
    (mode) => {
      const args = object({ thinking_mode: mode, other: 1 });
      expect(withThinkingAliases(args)).toBe(args);
    },
  );
});

describe("continuing the final message", () => {
  const render = (content: unknown, print: (text: string) => string) => {
    const last = markFinalMessage([message("user", "hi"), message("assistant", content)])
      .at(-1)
      ?.get("content");
    const text =
      typeof last === "string"
        ? last
        : JSON.stringify(last, (_, value: unknown) => (value instanceof JsonObject ? plain(value) : value));
    const pieces = [`<user>hi<assistant>${print(text)}<end>`];
    return cutAtFinalMessage({ pieces, areSigns: undefined }).pieces[0];
  };

  it("ends the prompt with its text", () => {
    expect(render("Sure, ", (text) => text)).toBe("<user>hi<assistant>Sure, ");
  });

  it("ends it without trailing space where the template trims", () => {
    expect(render("Sure \n", (text) => text.trim())).toBe("<user>hi<assistant>Sure");
  });

  it.each([{ content: "" }, { content: null }, { content: [] }, { content: [{ type: "text", text: "" }] }])(
    "refuses $content",
    ({ content }) => {
      expect(() => markFinalMessage([message("assistant", content)])).toThrow(RoutingError);
    },
  );

  it("refuses a template that does not print it", () => {
    expect(() => cutAtFinalMessage({ pieces: ["<end>"], areSigns: undefined })).toThrow(RoutingError);
  });

  it("continues the last part with text", () => {
    const parts = [
      { type: "text", text: "A" },
      { type: "text", text: "" },
    ];
    const [marked] = markFinalMessage([message("assistant", parts)]);
    expect(JSON.stringify(marked === undefined ? undefined : plain(marked))).toContain("ACONTINUE_FINAL_MESSAGE_TAG ");
  });
});
