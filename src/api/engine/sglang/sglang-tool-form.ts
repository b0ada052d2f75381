import { JsonObject, type JsonValue } from "../../../json/index.ts";
import type { SglangTraits } from "../engine-traits.ts";
import { objectOf } from "../members.ts";

/**
 * Tools in the form in which a release of SGLang hands them to the template: before 0.5.23 (protocol.py Function) a function's members have one order,
 * and `strict` is there whether the client sent it or not.
 * @param tools in the newest form
 */
export function toolsInForm(
  tools: readonly JsonObject[] | undefined,
  { showsToolsAsSent }: SglangTraits,
): readonly JsonObject[] | undefined {
  return showsToolsAsSent ? tools : tools?.map(inFixedOrder);
}

function inFixedOrder(tool: JsonObject): JsonObject {
  const target = tool.get("function");
  if (!(target instanceof JsonObject)) return tool;
  const fixed: Readonly<Record<string, JsonValue | undefined>> = {
    description: target.get("description"),
    name: target.get("name"),
    parameters: target.get("parameters"),
    strict: target.get("strict") ?? false,
    defer_loading: target.get("defer_loading"),
  };
  return JsonObject.from([...tool.entries(), ["function", objectOf(fixed)]]);
}
