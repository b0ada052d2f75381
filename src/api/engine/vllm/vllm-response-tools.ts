import { JsonObject } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, objectsOf, optionalText, textOf } from "../members.ts";
import { customToolParameters, namedChoice, responseTools } from "../responses.ts";
import { Untokenizable } from "../untokenizable.ts";
import { offeredFunction, vllmTool } from "./vllm-tools.ts";

/** Tools that vLLM takes and does not show to the model. */
const hidden =
  /^(file_search|computer|computer_use_preview|web_search(_\d{4}_\d\d_\d\d)?|web_search_preview(_\d{4}_\d\d_\d\d)?|mcp|code_interpreter|image_generation|local_shell|shell|tool_search|apply_patch)$/;

/**
 * Tools of a Responses request as the template sees them: functions, those of namespaces under a joined name, custom tools as functions
 * of one text (vllm@0.33.0 tool_parsers/utils.py get_function_tools).
 * @throws Untokenizable
 */
export function vllmResponseTools(root: JsonObject): readonly JsonObject[] | undefined {
  const tools = responseTools(root);
  checkVllmResponseChoice(root, tools);
  return tools.length === 0 ? undefined : tools.flatMap(shownTools);
}

function shownTools(tool: JsonObject): readonly JsonObject[] {
  const type = tool.get("type");
  if (type === "function") return [vllmTool(offeredFunction(tool), undefined)];
  if (type === "custom") return [customTool(tool)];
  if (type === "namespace") return namespaceTools(tool);
  if (typeof type !== "string" || !hidden.test(type)) throw new Untokenizable("a tool that is not known here");
  return [];
}

function customTool(tool: JsonObject): JsonObject {
  const format = given(tool, "format");
  if (format !== undefined && !(format instanceof JsonObject && format.get("type") === "text")) throw notTaken("tools");
  return vllmTool(
    {
      name: textOf(tool, "name"),
      description: optionalText(tool, "description") ?? null,
      parameters: customToolParameters,
      strict: undefined,
      deferLoading: undefined,
    },
    undefined,
  );
}

function namespaceTools(tool: JsonObject): readonly JsonObject[] {
  const [namespace, tools] = [textOf(tool, "name"), tool.get("tools")];
  textOf(tool, "description");
  if (!isList(tools)) throw notTaken("tools");
  return objectsOf(tools, "tools").flatMap((inner) => {
    if (inner.get("type") === "custom") return [];
    if (inner.get("type") !== "function") throw notTaken("tools");
    const offered = offeredFunction(inner);
    return [vllmTool({ ...offered, name: `${namespace}__${offered.name}` }, undefined)];
  });
}

/** A choice does not change the prompt, but one that fits no tool is refused. */
export function checkVllmResponseChoice(root: JsonObject, tools: readonly JsonObject[]): void {
  const choice = root.get("tool_choice");
  if (choice === "required" && tools.length === 0) throw notTaken("tool_choice");
  if (choice instanceof JsonObject && choice.get("type") === "function" && namedChoice(choice) === undefined) {
    throw notTaken("tool_choice");
  }
  const name = namedChoice(choice);
  if (name !== undefined && !tools.some((tool) => isNamed(tool, name))) throw notTaken("tool_choice");
}

/** A tool of a namespace goes by its own name as well as by the joined one. */
function isNamed(tool: JsonObject, name: string): boolean {
  if (tool.get("type") !== "namespace") return tool.get("name") === name;
  const inner = tool.get("tools");
  return objectsOf(isList(inner) ? inner : [], "tools").some((each) => {
    const own = each.get("name");
    return own === name || `${String(tool.get("name"))}__${String(own)}` === name;
  });
}
