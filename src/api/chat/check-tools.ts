import { JsonObject, type JsonValue } from "../../json/index.ts";
import { FieldError } from "../fields/index.ts";
import { isBlank } from "../sampling.ts";
import { checkStrictSchema } from "../strict-schema/index.ts";
import type { ChatMessage } from "./messages.ts";
import type { FunctionTool, ToolChoice } from "./tools.ts";

const MAX_TOOLS = 1536;
/** In UTF-8 bytes; names that pass the alphabet are ASCII. */
const MAX_NAME_LENGTH = 128;

/**
 * Tools that the model can see: the request's own, then those declared by system messages (Kimi).
 * @throws FieldError for an empty list, or a malformed tool of a message
 */
export function effectiveTools(
  messages: readonly ChatMessage[],
  tools: readonly FunctionTool[] | undefined,
): readonly FunctionTool[] {
  const declared: FunctionTool[] = [];
  messages.forEach((message, at) => {
    message.tools?.forEach((tool, toolAt) => {
      declared.push(declaredTool(tool, `messages[${at}].tools[${toolAt}]`));
    });
  });
  if (declared.length === 0 && tools?.length === 0) {
    throw new FieldError("must not be empty: leave it out to use no tools", "tools");
  }
  return [...(tools ?? []), ...declared];
}

/** A tool of a system message: the API's form, or the bare function. */
function declaredTool(tool: JsonValue, path: string): FunctionTool {
  if (!(tool instanceof JsonObject)) throw new FieldError("must be an object", path);
  const type = tool.get("type");
  const wrapped = tool.get("function");
  if (type !== undefined && type !== "function") throw new FieldError("must be function", `${path}.type`);
  if (type === undefined && wrapped !== undefined) throw new FieldError("is required", `${path}.type`);
  const definition = type === undefined ? tool : wrapped;
  if (!(definition instanceof JsonObject)) throw new FieldError("must be an object", `${path}.function`);
  const name = definition.get("name");
  if (typeof name !== "string" || name === "") throw new FieldError("must be a non-empty string", `${path}.name`);
  return {
    type: "function",
    function: {
      name,
      description: member(definition, "description", path, (value) => typeof value === "string") as string | undefined,
      parameters: member(definition, "parameters", path, (value) => value instanceof JsonObject),
      strict: member(definition, "strict", path, (value) => typeof value === "boolean") as boolean | undefined,
    },
  };
}

function member(
  definition: JsonObject,
  name: string,
  path: string,
  isRight: (value: JsonValue) => boolean,
): JsonValue | undefined {
  const value = definition.get(name) ?? undefined;
  if (value !== undefined && !isRight(value)) throw new FieldError("has the wrong type", `${path}.${name}`);
  return value;
}

/** @throws FieldError for names outside the API's alphabet, parameters that are no schema, strict schemas outside the subset */
export function checkTools(tools: readonly FunctionTool[]): void {
  if (tools.length > MAX_TOOLS) throw new FieldError(`has more than ${MAX_TOOLS} entries`, "tools");
  tools.forEach((tool, at) => {
    const { name, parameters } = tool.function;
    const path = `tools[${at}].function`;
    if (name.length > MAX_NAME_LENGTH)
      throw new FieldError(`is longer than ${MAX_NAME_LENGTH} characters`, `${path}.name`);
    if (isBlank(name)) throw new FieldError("must not be empty", `${path}.name`);
    if (!/^[A-Za-z0-9_-]+$/.test(name)) {
      throw new FieldError("may hold only letters, digits, underscores and dashes", `${path}.name`);
    }
    if (parameters !== undefined && !(parameters instanceof JsonObject)) {
      throw new FieldError("must be a JSON schema object", `${path}.parameters`);
    }
    checkStrictParameters(tool, `${path}.parameters`);
  });
}

/** A strict function must keep to the structured-output subset of JSON Schema. */
export function checkStrictParameters({ function: { strict, parameters } }: FunctionTool, path: string): void {
  if (strict !== true || parameters === undefined) return;
  try {
    checkStrictSchema(parameters);
  } catch (error) {
    throw error instanceof FieldError ? error.within(path) : error;
  }
}

/** @throws FieldError for a forced tool that is not there */
export function checkToolChoice(choice: ToolChoice | undefined, tools: readonly FunctionTool[]): void {
  if (choice === undefined || choice === "none" || choice === "auto") return;
  if (tools.length === 0) throw new FieldError("forces a tool, but `tools` has none", "tool_choice");
  if (choice === "required") return;
  if (!tools.some((tool) => tool.function.name === choice.function.name)) {
    throw new FieldError("names a function that is not in `tools`", "tool_choice");
  }
}
