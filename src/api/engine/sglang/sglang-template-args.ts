import { JsonNumber, JsonObject, type JsonValue } from "../../../json/index.ts";
import type { SglangTraits } from "../engine-traits.ts";
import { given, notTaken, optionalObject } from "../members.ts";
import { templateParameters } from "../template-parameters.ts";
import { Untokenizable } from "../untokenizable.ts";

/** Efforts that SGLang knows by name; a number between 0 and 0.99 is taken, too (sglang@0.5.23 protocol.py ReasoningEffortTier). */
export const sglangEfforts: ReadonlySet<JsonValue> = new Set([
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "ultra",
  "max",
]);

/** Here a request cannot set these, either. */
const parameters: ReadonlySet<string> = new Set([
  ...templateParameters,
  "add_generation_prompt",
  "continue_final_message",
  "documents",
  "return_dict",
]);

/** What a request says of reasoning. */
export interface SglangReasoning {
  readonly effort: string | undefined;
  /** Whether thinking is turned on or off by it; undefined says nothing. */
  readonly thinks: boolean | undefined;
}

/** Reads `reasoning` and `reasoning_effort` of a chat request (sglang@0.5.23 normalize_reasoning_inputs). */
export function sglangReasoning(root: JsonObject): SglangReasoning {
  const reasoning = root.get("reasoning");
  const inner = reasoning instanceof JsonObject ? reasoning : undefined;
  const nested = inner === undefined ? undefined : (given(inner, "effort") ?? given(inner, "reasoning_effort"));
  const effort = sglangEffort(nested ?? given(root, "reasoning_effort"));
  if (effort !== undefined) return { effort, thinks: effort !== "none" };
  return { effort, thinks: inner !== undefined && isEnabled(inner) ? true : undefined };
}

function isEnabled(reasoning: JsonObject): boolean {
  const value = given(reasoning, "enabled") ?? reasoning.get("enable") ?? false;
  if (typeof value === "boolean") return value;
  if (typeof value === "string") return /^(1|true|yes|y|on)$/.test(value.trim().toLowerCase());
  if (value === null) return false;
  throw notTaken("reasoning");
}

/** @throws Untokenizable for one that SGLang refuses, or a number */
export function sglangEffort(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof JsonNumber) throw new Untokenizable("a reasoning effort as a number");
  if (!sglangEfforts.has(value)) throw notTaken("reasoning_effort");
  return value as string;
}

/**
 * Variables of the template, beside those that every request has: an effort is one, and sets the switches of thinking that the client
 * does not set; an effort among the client's arguments wins, but for Hunyuan's.
 * @throws Untokenizable
 */
export function sglangTemplateArgs(
  root: JsonObject,
  { effort, thinks }: SglangReasoning,
  traits: SglangTraits,
): JsonObject | undefined {
  const kwargs = optionalObject(root, "chat_template_kwargs");
  const own = kwargs === undefined ? undefined : ownEffort(kwargs, traits);
  const args = clientArgs(kwargs);
  const last = traits.usesHunyuanEffort ? hunyuanEffort(effort ?? own) : (own ?? effort);
  if (last !== undefined) args.set("reasoning_effort", last);
  if (thinks !== undefined) {
    for (const name of ["thinking", "enable_thinking"]) if (!args.has(name)) args.set(name, thinks);
  }
  return args.size === 0 ? undefined : JsonObject.from(args);
}

function ownEffort(kwargs: JsonObject, traits: SglangTraits): string | undefined {
  const value = given(kwargs, "reasoning_effort");
  return traits.usesHunyuanEffort && value === "no_think" ? value : sglangEffort(value);
}

const hunyuanEfforts: Readonly<Record<string, string>> = {
  none: "no_think",
  no_think: "no_think",
  minimal: "low",
  low: "low",
  medium: "high",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** The effort that a template of Hunyuan knows (sglang@0.5.23 parser/hunyuan_reasoning.py). @throws Untokenizable for one that is refused */
export function hunyuanEffort(effort = "high"): string {
  const known = hunyuanEfforts[effort];
  if (known === undefined) throw notTaken("reasoning_effort");
  return known;
}

function clientArgs(kwargs: JsonObject | undefined): Map<string, JsonValue> {
  const args = new Map<string, JsonValue>();
  for (const [name, value] of kwargs?.entries() ?? []) {
    if (name === "reasoning_effort") continue;
    if (parameters.has(name)) {
      throw new Untokenizable("a template argument that changes more than the template's variables");
    }
    args.set(name, value);
  }
  return args;
}
