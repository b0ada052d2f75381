import { JsonNumber, type JsonObject, type JsonValue } from "../json/index.ts";

/**
 * Whether template arguments switch thinking on or off (dynamo-llm@1.6.1 preprocessor.rs `normalize_thinking_aliases`; observed with
 * qwen3): the first decisive one of `thinking`, `enable_thinking` and `thinking_mode` counts.
 */
export function thinkingSwitch(args: JsonObject | undefined): boolean | undefined {
  return (
    switchValue(args?.get("thinking")) ??
    switchValue(args?.get("enable_thinking")) ??
    modeValue(args?.get("thinking_mode"))
  );
}

/** Dynamo's words for truth (dynamo-truthy@1.6.1), case and white space around them ignored. */
const truthy = new Set(["1", "true", "on", "yes"]);
const falsy = new Set(["0", "false", "off", "no"]);

/** Any text that is no word for truth switches off. */
function switchValue(value: JsonValue | undefined): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value instanceof JsonNumber) return value.toNumber() !== 0;
  return typeof value === "string" ? truthy.has(word(value)) : undefined;
}

/** A mode may have other words, which decide nothing. */
function modeValue(value: JsonValue | undefined): boolean | undefined {
  if (typeof value !== "string") return switchValue(value);
  // Modes stand without white space around them, words for truth may have some.
  if (/^enabled$/i.test(value)) return true;
  if (/^disabled$/i.test(value)) return false;
  if (truthy.has(word(value))) return true;
  return falsy.has(word(value)) ? false : undefined;
}

/** The only word of a text, in lower case; "" for other texts. */
function word(text: string): string {
  return /^\p{White_Space}*(\P{White_Space}{1,5})\p{White_Space}*$/u.exec(text)?.[1]?.toLowerCase() ?? "";
}
