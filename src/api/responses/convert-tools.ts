import { JsonObject, type JsonValue } from "../../json/index.ts";
import { checkStrictParameters } from "../chat/check-tools.ts";
import type { FunctionTool, ToolChoice } from "../chat/tools.ts";
import { FieldError, within } from "../fields/index.ts";
import { UnsupportedContent } from "./content-parts.ts";
import type { ToolNames } from "./tool-names.ts";
import type { FunctionToolItem, ResponsesTool, ResponsesToolChoice } from "./tools.ts";

/** Tools and choice in the form of chat. */
export interface ConvertedTools {
  readonly tools: readonly FunctionTool[] | undefined;
  readonly choice: ToolChoice | undefined;
}

/**
 * Converts tools and choice together, since `allowed_tools` leaves only the allowed ones in the prompt
 * (dynamo-llm@1.6.1 responses/mod.rs convert_tools_and_choice).
 * @throws FieldError, UnsupportedContent for hosted tools and choices
 */
export function convertTools(
  tools: readonly ResponsesTool[] | undefined,
  choice: ResponsesToolChoice | undefined,
  names: ToolNames,
): ConvertedTools {
  const converted = (tools ?? []).flatMap((tool, at) => functionsOf(tool, `tools[${at}]`, names));
  converted.forEach((tool, at) => {
    checkStrictParameters(tool, `tools[${at}].parameters`);
  });
  const kept = isAllowedList(choice) ? allowedTools(choice.tools, converted, names) : converted;
  return {
    tools: kept.length === 0 ? undefined : kept,
    choice: choice === undefined ? undefined : within("tool_choice", () => chatChoice(choice, names)),
  };
}

type AllowedTools = Extract<ResponsesToolChoice, { readonly type: "allowed_tools" }>;

function isAllowedList(choice: ResponsesToolChoice | undefined): choice is AllowedTools {
  return typeof choice === "object" && choice.type === "allowed_tools";
}

function functionsOf(tool: ResponsesTool, path: string, names: ToolNames): readonly FunctionTool[] {
  if (tool.type === "function" && "name" in tool) return [functionTool(tool, undefined, names)];
  if (tool.type !== "namespace" || !("tools" in tool)) {
    throw new UnsupportedContent("is a hosted tool, which is not supported", path);
  }
  return tool.tools.map((inner, at) => {
    if (inner.type === "custom")
      throw new UnsupportedContent("is a custom tool, which is not supported", `${path}.tools[${at}]`);
    return functionTool(inner, tool.name, names);
  });
}

function functionTool(tool: FunctionToolItem, namespace: string | undefined, names: ToolNames): FunctionTool {
  return {
    type: "function",
    function: {
      name: names.alias(namespace, tool.name),
      description: tool.description,
      parameters: tool.parameters,
      strict: tool.strict,
    },
  };
}

function chatChoice(choice: ResponsesToolChoice, names: ToolNames): ToolChoice {
  if (typeof choice === "string") return choice;
  if (isAllowedList(choice)) return choice.mode;
  if (choice.type === "function" && "name" in choice) {
    return { type: "function", function: { name: names.resolveChoice(undefined, choice.name) } };
  }
  throw new UnsupportedContent("chooses a hosted tool, which is not supported");
}

function allowedTools(
  entries: readonly JsonValue[],
  tools: readonly FunctionTool[],
  names: ToolNames,
): readonly FunctionTool[] {
  const path = "tool_choice.tools";
  const allowed = new Set(entries.map((entry, at) => within(`${path}[${at}]`, () => allowedName(entry, names))));
  if (allowed.size === 0) throw new FieldError("must have at least one function", path);
  const available = new Set(tools.map((tool) => tool.function.name));
  for (const name of allowed) {
    if (!available.has(name)) throw new FieldError("names a function that is not in `tools`", path);
  }
  return tools.filter((tool) => allowed.has(tool.function.name));
}

function allowedName(entry: JsonValue, names: ToolNames): string {
  const name = entry instanceof JsonObject ? entry.get("name") : undefined;
  if (!(entry instanceof JsonObject) || entry.get("type") !== "function" || typeof name !== "string") {
    throw new UnsupportedContent("must be a function with a name");
  }
  const namespace = entry.get("namespace") ?? undefined;
  if (namespace !== undefined && typeof namespace !== "string") throw new FieldError("must be a string", "namespace");
  return names.resolveChoice(namespace, name);
}
