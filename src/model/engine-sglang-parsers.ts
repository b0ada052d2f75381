import type { SglangThinking, SglangTraits, ThinkMarks } from "../api/index.ts";
import type { SglangReasoningMode } from "./engine-sglang-reasoning.ts";

/** What a reasoning parser assumes of a template that shows no switch. */
type Assumption = "always" | "effort" | "thinking" | "enable_thinking";

interface Parser {
  readonly marks: ThinkMarks;
  readonly assumes: Assumption;
}

const plainMarks: ThinkMarks = { start: "<think>", end: "</think>" };

function parser(assumes: Assumption, start: string = plainMarks.start, end: string = plainMarks.end): Parser {
  return { marks: { start, end }, assumes };
}

/** By the name of `--reasoning-parser` (sglang@0.5.23 parser/reasoning_parser.py). */
const parsers: ReadonlyMap<string, Parser> = new Map([
  ["apertus2509", parser("always", "<|inner_prefix|>", "<|inner_suffix|>")],
  ["beam", parser("always", "<|channel|>analysis<|message|>", "<|end|><|start|>assistant")],
  ["cohere_command4", parser("always", "<|START_THINKING|>", "<|END_THINKING|>")],
  ["deepseek-r1", parser("always")],
  ["deepseek-v3", parser("thinking")],
  ["deepseek-v4", parser("thinking")],
  ["deepseek-v41", parser("thinking")],
  ["dots", parser("enable_thinking")],
  ["gemma4", parser("enable_thinking", "<|channel>thought\n", "<channel|>")],
  ["gigachat35", parser("always")],
  ["glm45", parser("enable_thinking")],
  ["gpt-oss", parser("always", "<|channel|>analysis<|message|>", "<|end|>")],
  ["granite_thinking_parser", parser("enable_thinking")],
  ["interns1", parser("enable_thinking")],
  ["k2_horizon", parser("always", "<ifm|think>", "</ifm|think>")],
  ["kimi", parser("always", "◁think▷", "◁/think▷")],
  ["kimi_k2", parser("thinking")],
  ["ling3", parser("enable_thinking")],
  ["mimo", parser("enable_thinking")],
  ["minimax", parser("enable_thinking")],
  ["minimax-append-think", parser("always")],
  ["mistral", parser("effort", "[THINK]", "[/THINK]")],
  ["nanbeige", parser("enable_thinking")],
  ["nemotron_3", parser("enable_thinking")],
  ["poolside_v1", parser("enable_thinking")],
  ["qwen3", parser("enable_thinking")],
  ["qwen3-thinking", parser("enable_thinking")],
  ["step3", parser("always")],
  ["step3p5", parser("always")],
]);

type ParserTraits = Pick<SglangTraits, "thinking" | "thinkMarks" | "usesHunyuanEffort">;

/**
 * How Messages turn thinking on and off, and what stands around the thinking of earlier turns (sglang@0.5.23 serving_chat.py
 * apply_reasoning_enabled, wrap_reasoning_history).
 * @param name of the reasoning parser that the model is served with; undefined when it has none
 */
export function sglangThinking(mode: SglangReasoningMode, name: string | undefined): ParserTraits {
  if (name === undefined) return { thinking: { kind: "unsupported" }, thinkMarks: "dropped", usesHunyuanEffort: false };
  if (name === "hunyuan") return hunyuan(mode);
  const known = parsers.get(name);
  if (known === undefined) return { thinking: { kind: "unknown" }, thinkMarks: "unknown", usesHunyuanEffort: false };
  return { thinking: thinkingOf(mode, known.assumes), thinkMarks: known.marks, usesHunyuanEffort: false };
}

/** Its marks are tokens of the model, by names that differ. */
function hunyuan({ special }: SglangReasoningMode): ParserTraits {
  const usesHunyuanEffort = special === "hunyuan";
  const on = usesHunyuanEffort ? "high" : "medium";
  return { thinking: { kind: "effort", on, off: "no_think" }, thinkMarks: "unknown", usesHunyuanEffort };
}

/** What the template shows decides; the parser's assumption counts where it shows nothing. */
function thinkingOf({ special, toggle }: SglangReasoningMode, assumption: Assumption): SglangThinking {
  const way = special ?? toggle ?? assumption;
  if (way === "always") return { kind: "always" };
  if (way === "mistral" || way === "effort") return { kind: "effort", on: "medium", off: "none" };
  return way === "hunyuan" ? { kind: "unsupported" } : { kind: "toggle", arguments: [way] };
}
