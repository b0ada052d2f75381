import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import {
  given,
  notTaken,
  objectOf,
  objectsOf,
  optionalFlag,
  optionalObject,
  optionalText,
  textOf,
} from "../members.ts";
import { withStandardTypes } from "./sglang-schema-types.ts";

/** Tools of a chat request as SGLang's template sees them (sglang@0.5.23 protocol.py Tool, serving_chat.py _process_messages). */
export function sglangTools(root: JsonObject): readonly JsonObject[] | undefined {
  const value = given(root, "tools");
  if (value !== undefined && !isList(value)) throw notTaken("tools");
  const tools = objectsOf(value ?? [], "tools").map(dumpedTool);
  return chosenTools(tools, given(root, "tool_choice"));
}

/** Members in the client's own order; a description and parameters that are missing come last, as null. */
function dumpedTool(tool: JsonObject): JsonObject {
  const type = tool.get("type") ?? "function";
  const target = tool.get("function");
  if (typeof type !== "string" || tool.get("type") === null || !(target instanceof JsonObject)) throw notTaken("tools");
  const deferLoading = optionalFlag(tool, "defer_loading");
  const parameters = optionalObject(target, "parameters");
  const members: Readonly<Record<string, JsonValue | undefined>> = {
    description: optionalText(target, "description") ?? null,
    name: textOf(target, "name"),
    parameters: parameters === undefined ? null : withStandardTypes(parameters),
    strict: optionalFlag(target, "strict"),
    defer_loading: optionalFlag(target, "defer_loading") ?? deferLoading,
  };
  const order = new Set([...target.keys(), ...Object.keys(members)]);
  const dumped: [string, JsonValue][] = [];
  for (const name of order) {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (member !== undefined) dumped.push([name, member]);
  }
  return objectOf({ type, function: JsonObject.from(dumped), defer_loading: deferLoading ?? null });
}

/**
 * The tools that a choice leaves; none left is undefined.
 * @throws Untokenizable for a choice that SGLang refuses
 */
export function chosenTools(
  tools: readonly JsonObject[],
  choice: JsonValue | undefined,
): readonly JsonObject[] | undefined {
  if (choice instanceof JsonObject) {
    const target = choice.get("function");
    if (!(target instanceof JsonObject) || (choice.get("type") ?? "function") !== "function")
      throw notTaken("tool_choice");
    const chosen = tools.filter((tool) => nameOf(tool) === target.get("name"));
    if (chosen.length === 0) throw notTaken("tool_choice");
    return chosen;
  }
  if (choice !== undefined && choice !== "auto" && choice !== "required" && choice !== "none")
    throw notTaken("tool_choice");
  if (choice === "required" && tools.length === 0) throw notTaken("tool_choice");
  return choice === "none" || tools.length === 0 ? undefined : tools;
}

function nameOf(tool: JsonObject): JsonValue | undefined {
  const target = tool.get("function");
  return target instanceof JsonObject ? target.get("name") : undefined;
}
