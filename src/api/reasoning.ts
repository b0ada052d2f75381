import { JsonObject, type JsonValue } from "../json/index.ts";
import { FieldError } from "./fields/index.ts";

/** Template arguments by which model families switch thinking; each reads another one. */
const toggles = ["thinking", "enable_thinking"] as const;
const controls = [...toggles, "thinking_mode"] as const;

type ThinkingMode = "enabled" | "disabled" | "adaptive";

/**
 * Template arguments with the request's reasoning controls folded in: one decision, stated in every dialect that templates
 * read (dynamo-llm@1.6.1 chat_completions.rs normalize_reasoning_template_args). Arguments without any control are returned as they are.
 * @param args `chat_template_args` of the body
 * @param thinking root `thinking`; null counts as absent
 * @param effort root `reasoning_effort`
 * @throws FieldError for a `thinking` that is neither boolean nor `{type: enabled | disabled | adaptive}`
 */
export function normalizeReasoning(
  args: JsonObject | undefined,
  thinking: JsonValue | undefined,
  effort: string | undefined,
): JsonObject | undefined {
  const rootMode = thinkingMode(thinking);
  const grade = effort ?? args?.get("reasoning_effort") ?? undefined;
  const hasControl = controls.some((key) => args?.has(key) === true);
  if (rootMode === undefined && grade === undefined && !hasControl) return args;

  const result = new Map<string, JsonValue>(args?.entries());
  if (rootMode === "adaptive") {
    for (const key of toggles) result.delete(key);
    result.set("thinking_mode", "adaptive");
  } else if (rootMode !== undefined) {
    setThinking(result, rootMode === "enabled");
  }
  const isThinking = decide(result, grade);
  if (isThinking !== undefined) setThinking(result, isThinking);
  if (grade !== undefined) result.set("reasoning_effort", grade);
  return JsonObject.from(result);
}

function thinkingMode(thinking: JsonValue | undefined): ThinkingMode | undefined {
  if (thinking === undefined || thinking === null) return undefined;
  if (typeof thinking === "boolean") return thinking ? "enabled" : "disabled";
  if (!(thinking instanceof JsonObject))
    throw new FieldError("must be a boolean or an object with a `type`", "thinking");
  const type = thinking.get("type");
  if (type === "enabled" || type === "disabled" || type === "adaptive") return type;
  throw new FieldError("must be one of enabled, disabled, adaptive", "thinking.type");
}

/** The strongest statement wins: a boolean, then a mode, then the effort; undefined leaves it to the model. */
function decide(args: ReadonlyMap<string, JsonValue>, grade: JsonValue | undefined): boolean | undefined {
  for (const key of toggles) {
    const value = args.get(key);
    if (typeof value === "boolean") return value;
  }
  const mode = args.get("thinking_mode");
  switch (typeof mode === "string" ? asciiLowerCase(mode) : undefined) {
    case "adaptive":
      return undefined;
    case "enabled":
      return true;
    case "disabled":
      return false;
    default:
      return typeof grade === "string" ? grade !== "none" : undefined;
  }
}

function setThinking(args: Map<string, JsonValue>, isThinking: boolean): void {
  for (const key of toggles) args.set(key, isThinking);
  args.set("thinking_mode", isThinking ? "enabled" : "disabled");
}

/** Unlike `toLowerCase`, leaves other letters alone: the Kelvin sign is no k. */
function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
