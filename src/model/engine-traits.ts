import type { EngineTraits, VllmTraits } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { type ChatTemplate, compileTemplate, UnsupportedTemplateError } from "../template/index.ts";
import { sglangThinking } from "./engine-sglang-parsers.ts";
import { sglangReasoningMode } from "./engine-sglang-reasoning.ts";
import { sglangVersionTraits } from "./engine-version.ts";
import { plainMessage } from "./messages.ts";
import type { Profile } from "./profile.ts";
import { type TemplateArg, templateVariables } from "./template-args.ts";
import type { TemplateSources } from "./template-source.ts";

const sentinel = "INLINE_SYSTEM_7f3a";

export interface TraitsOptions {
  readonly profile: Profile;
  /** Name of the reasoning parser that SGLang serves the model with; undefined when it has none. */
  readonly reasoningParser: string | undefined;
  /** The engine's release; undefined: the newest. */
  readonly engineVersion: string | undefined;
  /** Variables of the template that the engine is given. */
  readonly variables: readonly (readonly [string, TemplateArg])[];
}

/** What an engine's reading of requests depends on in a model; undefined for other backends. */
export function engineTraits(
  { profile, reasoningParser, engineVersion, variables }: TraitsOptions,
  sources: TemplateSources,
  config: JsonObject,
): EngineTraits | undefined {
  if (profile.name !== "vllm" && profile.name !== "sglang") return undefined;
  const usesHarmony = config.get("model_type") === "gpt_oss";
  const declared = [sources.default, sources.toolUse].filter((source) => source !== undefined);
  if (profile.name === "vllm") return { name: "vllm", usesHarmony, ...vllmProbes(declared, usesHarmony, variables) };
  const [template] = declared;
  return {
    name: "sglang",
    usesHarmony,
    ...sglangVersionTraits(engineVersion, usesHarmony),
    keepsInlineSystem: template !== undefined && probedInlineSystem(template)?.includes(sentinel) === true,
    ...sglangThinking(sources.default === undefined ? {} : sglangReasoningMode(sources.default), reasoningParser),
  };
}

/** Any of the templates that refuses system messages between turns decides (vllm@0.33.0 anthropic/serving.py); so does none at all. */
function vllmProbes(
  sources: readonly string[],
  usesHarmony: boolean,
  variables: TraitsOptions["variables"],
): Omit<VllmTraits, "name" | "usesHarmony"> {
  const mergesInlineSystem = sources.length === 0 || sources.some((source) => probedInlineSystem(source) === undefined);
  const [source] = sources;
  const template = source === undefined ? undefined : compileTemplate(source);
  return {
    mergesInlineSystem,
    disabledThinkingEffort: usesHarmony ? "low" : disabledThinkingEffort(template, variables),
  };
}

/** `low` where the template refuses the effort `none`, or makes the same prompt of another. */
function disabledThinkingEffort(
  template: ChatTemplate | undefined,
  variables: TraitsOptions["variables"],
): "none" | "low" {
  const prompt = (effort: string) =>
    template === undefined
      ? undefined
      : rendered(template, [
          ...templateVariables(variables),
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

/** The engines' probes know nothing that transformers adds to jinja2. */
function probedInlineSystem(source: string): string | undefined {
  if (generationTag.test(source)) return undefined;
  return rendered(compileTemplate(source, { dialect: "jinja" }), inlineSystem);
}

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
