import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "../../fields/index.ts";
import { given, notTaken, optionalObject } from "../members.ts";
import { templateParameters } from "../template-parameters.ts";
import { Untokenizable } from "../untokenizable.ts";

/** Efforts that vLLM knows (vllm@0.33.0 renderers/params.py). */
export const vllmEfforts: ReadonlySet<JsonValue> = new Set([
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
]);

const parameters: ReadonlySet<string> = new Set(templateParameters);

/** Set by the request in every case, so that an argument of the same name has no effect. */
const overridden: ReadonlySet<string> = new Set(["add_generation_prompt", "continue_final_message", "return_dict"]);

/** The effort of a request. @throws Untokenizable for one that vLLM refuses */
export function vllmEffort(value: JsonValue | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!vllmEfforts.has(value)) throw notTaken("reasoning_effort");
  return value as string;
}

/**
 * Variables of the template, beside those that every request has (vllm@0.33.0 build_chat_params, merge_kwargs): null and "auto" count
 * as not given, an effort also turns thinking on or off.
 * @throws Untokenizable
 */
export function vllmTemplateArgs(root: JsonObject, effort: string | undefined): JsonObject | undefined {
  const kwargs = optionalObject(root, "chat_template_kwargs");
  const args: (readonly [string, JsonValue])[] = [];
  for (const [name, value] of kwargs?.entries() ?? []) {
    if (value === null || value === "auto" || overridden.has(name)) continue;
    if (parameters.has(name))
      throw new Untokenizable("a template argument that changes more than the template's variables");
    if (name === "documents") checkDocuments(value, false);
    args.push([name, value]);
  }
  const documents = given(root, "documents");
  if (documents !== undefined) args.push(["documents", checkDocuments(documents, true)]);
  if (effort !== undefined) args.push(["reasoning_effort", effort]);
  if (effort !== undefined && kwargs?.has("enable_thinking") !== true)
    args.push(["enable_thinking", effort !== "none"]);
  return args.length === 0 ? undefined : JsonObject.from(args);
}

function checkDocuments(value: JsonValue, isTyped: boolean): JsonValue {
  if (!isList(value)) throw notTaken("documents");
  for (const document of value) {
    if (!(document instanceof JsonObject)) throw notTaken("documents");
    if (!isTyped) continue;
    for (const [, text] of document.entries()) if (typeof text !== "string") throw notTaken("documents");
  }
  return value;
}
