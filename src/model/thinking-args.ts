import { JsonNumber, type JsonObject, type JsonValue } from "../json/index.ts";
import { withMembers } from "./messages.ts";

/**
 * Template arguments with the thinking switch in both common spellings (dynamo-llm@1.6.1 preprocessor; observed with qwen3): the first
 * decisive one of `thinking`, `enable_thinking` and `thinking_mode` counts.
 */
export function withThinkingAliases(args: JsonObject | undefined): JsonObject | undefined {
  if (args === undefined) return undefined;
  const isThinking =
    switchValue(args.get("thinking")) ??
    switchValue(args.get("enable_thinking")) ??
    modeValue(args.get("thinking_mode"));
  return isThinking === undefined ? args : withMembers(args, { thinking: isThinking, enable_thinking: isThinking });
}

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["0", false],
  ["no", false],
  ["off", false],
]);

function switchValue(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value instanceof JsonNumber) return value.toNumber() !== 0;
  return typeof value === "string" ? words.get(value.trim().toLowerCase()) : undefined;
}

function modeValue(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (typeof value !== "string") return undefined;
  const mode = value.trim().toLowerCase();
  if (mode === "enabled") return true;
  return mode === "disabled" ? false : words.get(mode);
}
