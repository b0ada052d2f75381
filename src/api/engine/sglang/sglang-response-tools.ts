import { JsonObject } from "../../../json/index.ts";
import { flagOr, notTaken, objectOf, optionalFlag, optionalObject, optionalText } from "../members.ts";
import { customToolParameters, namedChoice, responseTools } from "../responses.ts";
import { chosenTools } from "./sglang-tools.ts";

/** Tools that SGLang takes and does not show to the model; it refuses `shell`. */
const hidden: ReadonlySet<string> = new Set([
  "web_search",
  "web_search_preview",
  "code_interpreter",
  "file_search",
  "image_generation",
  "computer_use_preview",
  "local_shell",
  "mcp",
  "namespace",
  "tool_search",
]);

/**
 * Tools of a Responses request that its choice leaves, as the template sees them: functions, and custom tools as functions of one text.
 * @throws Untokenizable
 */
export function sglangResponseTools(root: JsonObject): readonly JsonObject[] | undefined {
  const tools = responseTools(root).flatMap(shownTool);
  const choice = root.get("tool_choice") ?? "auto";
  if (choice instanceof JsonObject) {
    const name = namedChoice(choice);
    return chosenTools(tools, name === undefined ? "auto" : objectOf({ function: objectOf({ name }) }));
  }
  if (root.get("tool_choice") === null) throw notTaken("tool_choice");
  return chosenTools(tools, choice);
}

function shownTool(tool: JsonObject): readonly JsonObject[] {
  const type = tool.get("type");
  const name = optionalText(tool, "name") ?? "";
  const strict = flagOr(tool, "strict", false);
  optionalFlag(tool, "defer_loading");
  if (type === "function") {
    if (name === "") throw notTaken("tools");
    const parameters = optionalObject(tool, "parameters") ?? null;
    return [dumped({ name, description: optionalText(tool, "description") ?? null, parameters, strict })];
  }
  if (type === "custom") {
    if (name === "") return [];
    return [dumped({ name, description: customDescription(tool), parameters: customToolParameters, strict })];
  }
  if (typeof type !== "string" || !hidden.has(type)) throw notTaken("tools");
  return [];
}

interface Dumped {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: JsonObject | null;
  readonly strict: boolean;
}

function dumped({ name, description, parameters, strict }: Dumped): JsonObject {
  return objectOf({
    type: "function",
    function: objectOf({ name, description, parameters, strict }),
    defer_loading: null,
  });
}

/** A grammar is told in words. */
function customDescription(tool: JsonObject): string | null {
  const parts = [optionalText(tool, "description") ?? ""];
  const format = optionalObject(tool, "format");
  if (format?.get("type") === "grammar") {
    const syntax = optionalText(format, "syntax") || "lark";
    parts.push(`The payload must conform to this ${syntax} grammar:\n${optionalText(format, "definition") ?? ""}`);
  }
  const text = parts.filter((part) => part !== "").join("\n\n");
  return text === "" ? null : text;
}
