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

/** A function that a client offers. */
export interface OfferedFunction {
  readonly name: string;
  readonly description: string | null;
  readonly parameters: JsonObject | null;
  /** Undefined leaves it out. */
  readonly strict: boolean | undefined;
  readonly deferLoading: boolean | undefined;
}

/** Tools of a chat request as vLLM dumps them (vllm@0.33.0 ChatCompletionToolsParam); an empty list is refused. */
export function vllmTools(value: JsonValue | undefined): readonly JsonObject[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isList(value) || value.length === 0) throw notTaken("tools");
  return objectsOf(value, "tools").map((tool) => {
    if ((tool.get("type") ?? "function") !== "function" || tool.get("type") === null) throw notTaken("tools");
    const target = tool.get("function");
    if (!(target instanceof JsonObject)) throw notTaken("tools");
    const deferLoading = optionalFlag(tool, "defer_loading");
    return vllmTool({ ...offeredFunction(target), ...inherited(target, deferLoading) }, deferLoading);
  });
}

/** A function's own `defer_loading` wins over its tool's. */
function inherited(target: JsonObject, deferLoading: boolean | undefined): Partial<OfferedFunction> {
  return { deferLoading: optionalFlag(target, "defer_loading") ?? deferLoading };
}

export function offeredFunction(target: JsonObject): OfferedFunction {
  return {
    name: textOf(target, "name"),
    description: optionalText(target, "description") ?? null,
    parameters: optionalObject(target, "parameters") ?? null,
    strict: optionalFlag(target, "strict"),
    deferLoading: optionalFlag(target, "defer_loading"),
  };
}

/** The dump: known members in order, the rest dropped. */
export function vllmTool(offered: OfferedFunction, deferLoading: boolean | undefined): JsonObject {
  const { name, description, parameters, strict } = offered;
  const dumped = objectOf({ name, description, parameters, strict, defer_loading: offered.deferLoading });
  return objectOf({ type: "function", function: dumped, defer_loading: deferLoading });
}

/**
 * Checks that a choice fits the tools; it does not change the prompt.
 * @throws Untokenizable where vLLM refuses the request
 */
export function checkVllmToolChoice(root: JsonObject, tools: readonly JsonObject[] | undefined): void {
  const choice = given(root, "tool_choice");
  if (choice === undefined || choice === "none") return;
  if (tools === undefined) throw notTaken("tool_choice");
  if (choice === "auto" || choice === "required") return;
  const target =
    choice instanceof JsonObject && (choice.get("type") ?? "function") === "function"
      ? choice.get("function")
      : undefined;
  const name = target instanceof JsonObject ? target.get("name") : undefined;
  if (name === "" || !tools.some((tool) => nameOf(tool) === name)) throw notTaken("tool_choice");
}

function nameOf(tool: JsonObject): JsonValue | undefined {
  const target = tool.get("function");
  return target instanceof JsonObject ? target.get("name") : undefined;
}
