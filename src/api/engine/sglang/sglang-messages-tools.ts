import type { JsonObject, JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { anthropicChoice, inputSchema } from "../anthropic.ts";
import type { SglangTraits } from "../engine-traits.ts";
import { flagOr, given, notTaken, objectOf, objectsOf, optionalFlag, optionalText, textOf } from "../members.ts";
import { withStandardTypes } from "./sglang-schema-types.ts";

/** Tools that Anthropic's own servers run, by the start of their type, with the names that they may have. */
const serverTools: readonly { readonly type: RegExp; readonly names: readonly string[] }[] = [
  { type: /^web_search_\d{8}$/, names: ["web_search"] },
  { type: /^computer_\d{8}$/, names: ["computer"] },
  { type: /^bash_\d{8}$/, names: ["bash"] },
  { type: /^text_editor_\d{8}$/, names: ["str_replace_editor", "str_replace_based_edit_tool"] },
];

/** Tools of a Messages request that its choice leaves, as SGLang's template sees them; server tools are left out. */
export function sglangMessagesTools(root: JsonObject, traits: SglangTraits): readonly JsonObject[] | undefined {
  const value = given(root, "tools");
  if (value !== undefined && !isList(value)) throw notTaken("tools");
  const tools = objectsOf(value ?? [], "tools")
    .filter((tool) => !isServerTool(tool))
    .map((tool) => functionTool(tool, traits));
  const choice = anthropicChoice(root);
  if (choice?.type === "none") return undefined;
  if (tools.length === 0) {
    if (choice?.type === "any" || choice?.type === "tool") throw notTaken("tool_choice");
    return undefined;
  }
  if (choice?.type !== "tool") return tools;
  const chosen = tools.filter((tool) => nameOf(tool) === choice.name);
  if (chosen.length === 0) throw notTaken("tool_choice");
  return chosen;
}

function isServerTool(tool: JsonObject): boolean {
  const type = given(tool, "type") ?? "custom";
  if (type === "custom" || type === "") return false;
  const known = serverTools.find((server) => typeof type === "string" && server.type.test(type));
  const name = tool.get("name") ?? known?.names[0];
  if (known === undefined || typeof name !== "string" || !known.names.includes(name)) throw notTaken("tools");
  return true;
}

/** `strict` counts only in releases that show it as it was sent. */
function functionTool(tool: JsonObject, { showsToolsAsSent }: SglangTraits): JsonObject {
  if (tool.get("type") === "") throw notTaken("tools");
  const deferLoading = optionalFlag(tool, "defer_loading");
  const strict = flagOr(tool, "strict", false);
  const dumped = objectOf({
    name: textOf(tool, "name"),
    description: optionalText(tool, "description") ?? "",
    parameters: withStandardTypes(inputSchema(tool)),
    strict: strict && showsToolsAsSent,
    defer_loading: deferLoading,
  });
  return objectOf({ type: "function", function: dumped, defer_loading: deferLoading ?? null });
}

function nameOf(tool: JsonObject): JsonValue | undefined {
  const target = tool.get("function");
  return target === null || typeof target !== "object" || !("get" in target) ? undefined : target.get("name");
}
