import { JsonNumber, JsonObject, type JsonValue, serdeJsonText } from "../../json/index.ts";
import { FieldError } from "../fields/index.ts";
import { type GuidedFields, guidedConstraints } from "../guided-decoding.ts";
import type { FunctionTool, ToolChoice } from "./tools.ts";

/** Extra fields of an answer that exist once a choice, which the parser of a forced call cannot tell apart. */
const choiceFields = new Set(["engine_data", "routed_experts", "stop_reason"]);

/** Whether the model must call a tool. */
function isForced(choice: ToolChoice | undefined): boolean {
  return choice !== undefined && choice !== "none" && choice !== "auto";
}

/**
 * A required call is guided by the schemas of all tools at once, whose definitions must agree (dynamo-llm@1.6.1
 * protocols/openai/tools.rs build_required_schema).
 * @throws FieldError
 */
export function checkRequiredTools(tools: readonly FunctionTool[]): void {
  const definitions = new Map<string, string>();
  for (const [at, { function: definition }] of tools.entries()) {
    const { parameters } = definition;
    const given = parameters instanceof JsonObject ? parameters.get("$defs") : undefined;
    if (given === undefined) continue;
    const path = `tools[${at}].function.parameters.$defs`;
    if (!(given instanceof JsonObject)) throw new FieldError("must be an object", path);
    for (const [name, schema] of given.entries()) {
      const text = sortedText(schema);
      if ((definitions.get(name) ?? text) !== text) throw new FieldError("differs from another tool's", path);
      definitions.set(name, text);
    }
  }
}

/** What else a forced call excludes; only chat has these options. */
export interface ForcedOptions extends GuidedFields {
  readonly n?: number | undefined;
  readonly tool_choice?: ToolChoice | undefined;
  readonly nvext?: { readonly extra_fields?: readonly string[] | undefined } | undefined;
}

/**
 * A forced call leaves no room for another constraint, nor for fields that belong to one of several choices.
 * @throws FieldError
 */
export function checkForcedOptions(request: ForcedOptions): void {
  if (!isForced(request.tool_choice)) return;
  const [constraint] = guidedConstraints(request);
  if (constraint !== undefined) throw new FieldError("cannot be combined with a forced tool call", constraint);
  if ((request.n ?? 1) > 1 && request.nvext?.extra_fields?.some((field) => choiceFields.has(field)) === true) {
    throw new FieldError("asks for what belongs to one choice, with several and a forced tool", "nvext.extra_fields");
  }
}

/** Equal for equal values, whatever the order of members. */
function sortedText(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.toNumber() === 0 && !value.isInteger ? "0.0" : serdeJsonText(value);
  if (value instanceof JsonObject) {
    const members = [...value.entries()].map(([key, member]) => `${JSON.stringify(key)}:${sortedText(member)}`);
    return `{${members.toSorted().join(",")}}`;
  }
  return Array.isArray(value) ? `[${value.map(sortedText).join(",")}]` : serdeJsonText(value);
}
