import type { JsonObject } from "../../json/index.ts";

/** The first boolean of the two names of the switch; undefined when neither holds one (dynamo-renderer@8.0.3 lib.rs). */
export function thinkingSwitch(args: JsonObject | undefined): boolean | undefined {
  for (const name of ["thinking", "enable_thinking"]) {
    const value = args?.get(name);
    if (typeof value === "boolean") return value;
  }
  return undefined;
}

/** Whether DeepSeek's models think: they do unless told otherwise (deepseek/common.rs `resolve_thinking_mode`). */
export function isThinking(args: JsonObject | undefined): boolean {
  return thinkingSwitch(args) ?? args?.get("thinking_mode") !== "chat";
}
