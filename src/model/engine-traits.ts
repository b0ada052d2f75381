import type { EngineTraits, VllmTraits } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { type ChatTemplate, compileTemplate, UnsupportedTemplateError } from "../template/index.ts";
import { sglangThinking } from "./engine-sglang-parsers.ts";
import { sglangReasoningMode } from "./engine-sglang-reasoning.ts";
import { plainMessage } from "./messages.ts";
import type { Profile } from "./profile.ts";
import type { TemplateSources } from "./template-source.ts";

const sentinel = "INLINE_SYSTEM_7f3a";

export interface TraitsOptions {
  readonly profile: Profile;
  /** Name of the reasoning parser that SGLang serves the model with; undefined when it has none. */
  readonly reasoningParser: string | undefined;
}

/** What an engine's reading of requests depends on in a model; undefined for other backends. */
export function engineTraits(
  { profile, reasoningParser }: TraitsOptions,
  sources: TemplateSources,
  config: JsonObject,
): EngineTraits | undefined {
  if (profile.name !== "vllm" && profile.name !== "sglang") return undefined;
  const usesHarmony = config.get("model_type") === "gpt_oss";
  const templates = [sources.default, sources.toolUse].filter((source) => source !== undefined).map(compiled);
  if (profile.name === "vllm") return { name: "vllm", usesHarmony, ...vllmProbes(templates) };
  const [template] = templates;
  return {
    name: "sglang",
    usesHarmony,
    keepsInlineSystem: template !== undefined && probedInlineSystem(template)?.includes(sentinel) === true,
    ...sglangThinking(sources.default === undefined ? {} : sglangReasoningMode(sources.default), reasoningParser),
  };
}

/** `Any` of the templates that refuses system messages between turns decides (vllm@0.33.0 anthropic/serving.py). */
function vllmProbes(templates: readonly ChatTemplate[]): Omit<VllmTraits, "name" | "usesHarmony"> {
  const mergesInlineSystem = templates.some((template) => probedInlineSystem(template) === undefined);
  return { mergesInlineSystem, disabledThinkingEffort: disabledThinkingEffort(templates[0]) };
}

/** `low` where the template refuses the effort `none`, or makes the same prompt of another. */
function disabledThinkingEffort(template: ChatTemplate | undefined): "none" | "low" {
  const prompt = (effort: string) =>
    template === undefined
      ? undefined
      : rendered(template, [
          ["messages", [plainMessage("user", "Hi")]],
          ["tools", null],
          ["documents", null],
          ["add_generation_prompt", true],
          ["reasoning_effort", effort],
          ["enable_thinking", effort !== "none"],
        ]);
  const none = prompt("none");
  if (none === undefined) return "low";
  return ["low", "medium", "high", "xhigh", "max"].some((effort) => prompt(effort) === none) ? "low" : "none";
}

const inlineSystem: readonly (readonly [string, JsonValue])[] = [
  [
    "messages",
    [
      plainMessage("system", "t"),
      plainMessage("user", "t"),
      plainMessage("system", sentinel),
      plainMessage("user", "t"),
    ],
  ],
  ["add_generation_prompt", false],
];

function probedInlineSystem(template: ChatTemplate): string | undefined {
  return generationTag.test(template.source) ? undefined : rendered(template, inlineSystem);
}

/** A tag that only transformers' own Jinja knows; the engines' probes use a plain one. */
const generationTag = /\{%-?\s*generation\s*-?%\}/;

/** Undefined where the template refuses, or cannot be rendered here. */
function rendered(template: ChatTemplate, variables: readonly (readonly [string, JsonValue])[]): string | undefined {
  try {
    return template.render(JsonObject.from(variables));
  } catch (error) {
    if (error instanceof RoutingError || error instanceof UnsupportedTemplateError) return undefined;
    throw error;
  }
}

function compiled(source: string): ChatTemplate {
  return compileTemplate(source, { dialect: "huggingface" });
}
