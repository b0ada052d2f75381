import type { ChatRequest } from "../api/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import type { FrontendSettings } from "./frontend-settings.ts";
import { withMembers } from "./messages.ts";
import { thinkingSwitch } from "./thinking-args.ts";

const controls = ["thinking", "enable_thinking", "thinking_mode", "reasoning_effort"];
const kimi = /^kimi(_k25|[_-]k3)$/;
const kimiK3 = /^kimi[_-]k3$/;
const minimaxM3 = /^minimax[_-]m3$/;
const minimaxM3Tools = /^minimax[_-]m3([_-]nom)?$/;

/**
 * Template arguments as the frontend hands them to the template: with the thinking switch in both common spellings, and in the one that
 * the model's parsers stand for (dynamo-llm@1.6.1 preprocessor.rs, from `apply_default_thinking_mode` to
 * `normalize_kimi_k3_named_tool_choice`).
 */
export function frontendArgs(chat: ChatRequest, settings: FrontendSettings): JsonObject | undefined {
  const isFromClient = controls.some((name) => chat.templateArgs?.has(name) === true);
  const args = isFromClient ? chat.templateArgs : withDefaultMode(chat.templateArgs, settings);
  const isKimi = kimi.test(settings.reasoningParser ?? "");
  const isThinking = thinkingSwitch(args) ?? (isKimi ? true : undefined);
  const switched = isMinimaxM3(settings)
    ? withMinimaxMode(args, isThinking, !isFromClient && isConstrained(chat))
    : withSwitch(args, isThinking);
  const namesTool = chat.toolChoice instanceof JsonObject && kimiK3.test(settings.toolCallParser ?? "");
  return namesTool ? withSwitch(switched, false) : switched;
}

function withDefaultMode(
  args: JsonObject | undefined,
  { defaultThinkingMode: mode }: FrontendSettings,
): JsonObject | undefined {
  if (mode === undefined) return args;
  return withArguments(withSwitch(args, mode === "enabled"), { thinking_mode: mode });
}

function withSwitch(args: JsonObject | undefined, isThinking: boolean | undefined): JsonObject | undefined {
  return isThinking === undefined ? args : withArguments(args, { thinking: isThinking, enable_thinking: isThinking });
}

function withArguments(args: JsonObject | undefined, changes: Readonly<Record<string, JsonValue>>): JsonObject {
  return withMembers(args ?? JsonObject.from([]), changes);
}

function isMinimaxM3({ reasoningParser = "", toolCallParser = "" }: FrontendSettings): boolean {
  return minimaxM3.test(reasoningParser) || minimaxM3Tools.test(toolCallParser);
}

/** Its template knows one word for off, and thinks beside a forced form of the answer. */
function withMinimaxMode(
  args: JsonObject | undefined,
  isThinking: boolean | undefined,
  isForcedOff: boolean,
): JsonObject | undefined {
  if (isForcedOff) return withArguments(withSwitch(args, false), { thinking_mode: "disabled" });
  const mode = args?.get("thinking_mode");
  const switched = withSwitch(args, isThinking);
  if (isThinking === undefined || (typeof mode === "string" && /^adaptive$/i.test(mode))) return switched;
  return withArguments(switched, { thinking_mode: isThinking ? "enabled" : "disabled" });
}

/** A form of the answer is asked for, or a call of a tool. */
function isConstrained({ responseFormat, toolChoice }: ChatRequest): boolean {
  const type = responseFormat instanceof JsonObject ? responseFormat.get("type") : undefined;
  return (typeof type === "string" && type !== "text") || toolChoice === "required" || toolChoice instanceof JsonObject;
}
