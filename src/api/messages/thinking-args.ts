import { JsonObject } from "../../json/index.ts";

/** The frontend sets the second, and its preprocessor then the first (preprocessor.rs apply_normalized_thinking_aliases). */
const enabled = JsonObject.from([
  ["thinking", true],
  ["enable_thinking", true],
]);

const enabledForParser = JsonObject.from([...enabled.entries(), ["truncate_history_thinking", false]]);

/**
 * Template arguments by which a Messages request switches thinking on; there are none that switch it off (dynamo-llm@1.6.1
 * http/service/anthropic.rs: with a reasoning parser it counts as wanted, unless the client says `disabled`).
 * @param type `thinking.type` of the body: any text
 */
export function thinkingArgs(type: string | undefined, hasReasoningParser: boolean): JsonObject | undefined {
  if (hasReasoningParser && type !== "disabled") return enabledForParser;
  return type === "enabled" ? enabled : undefined;
}
