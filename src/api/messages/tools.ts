import type { JsonObject, JsonValue } from "../../json/index.ts";
import type { FunctionTool, ToolChoice } from "../chat/tools.ts";
import {
  anyObject,
  anyValue,
  FieldError,
  flag,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  text,
} from "../fields/index.ts";
import { cacheControl } from "./cache-control.ts";

const fields = struct({
  name: required(text),
  type: optional(text),
  description: optional(text),
  input_schema: optional(anyValue),
  strict: optional(flag),
  cache_control: optional(cacheControl),
});

/** A tool of the client in the form of chat; tools that Anthropic's own servers run are refused. */
export const messagesTool: Reader<FunctionTool> = (value, duplicates) => {
  const { name, type, description, input_schema: parameters, strict } = fields(value, duplicates);
  if (type === "") throw new FieldError("must not be empty", "type");
  if (type !== undefined && type !== "custom") throw new FieldError("is a server tool, which is not supported", "type");
  if (parameters === undefined) throw new FieldError("is required", "input_schema");
  return { type: "function", function: { name, description, parameters, strict } };
};

const choiceMode = struct({
  type: required(oneOf("auto", "any", "none", "tool")),
  disable_parallel_tool_use: optional(flag),
});

/** A choice with a name is that tool, whatever its type says; a tool without a name is any. */
export const messagesToolChoice: Reader<ToolChoice> = (value, duplicates) => {
  const choice = anyObject(value, duplicates);
  const { type } = choiceMode(choice, duplicates);
  const name = nameOf(choice);
  if (name !== undefined) return { type: "function", function: { name } };
  return type === "any" || type === "tool" ? "required" : type;
};

/** A name that is no text, or is given twice, is no name. */
function nameOf(choice: JsonObject): string | undefined {
  const name: JsonValue | undefined = choice.get("name");
  return typeof name === "string" && !choice.duplicateKeys.includes("name") ? name : undefined;
}
