import { JsonObject, type JsonValue, serdeObject } from "../../json/index.ts";
import { anyValue, FieldError, flag, oneOf, optional, type Reader, required, struct, text } from "../fields/index.ts";

/** A function that the model may call, members in the order they are written for a template. */
export interface FunctionDefinition {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: JsonValue | undefined;
  readonly strict?: boolean | undefined;
}

export interface FunctionTool {
  readonly type: "function";
  readonly function: FunctionDefinition;
}

/** `named` forces one function; the rest are the words of the API. */
export type ToolChoice =
  | "none"
  | "auto"
  | "required"
  | { readonly type: "function"; readonly function: { readonly name: string } };

export const chatTool: Reader<FunctionTool> = struct({
  type: required(oneOf("function")),
  function: required(
    struct({
      name: required(text),
      description: optional(text),
      parameters: optional(anyValue),
      strict: optional(flag),
    }),
  ),
});

const namedChoice = struct({
  type: required(oneOf("function")),
  function: required(struct({ name: required(text) })),
});

export const chatToolChoice: Reader<ToolChoice> = (value, duplicates) => {
  if (value === "none" || value === "auto" || value === "required") return value;
  if (value instanceof JsonObject) return namedChoice(value, duplicates);
  throw new FieldError("must be none, auto, required or a named function");
};

/**
 * A tool as the Dynamo renderer gives it to a template: `description` is "" when missing, an object schema gains `type` and
 * `properties`, each as the last member (dynamo-renderer@8.0.3 template/oai.rs). Idempotent.
 */
export function withToolDefaults(tool: FunctionTool): FunctionTool {
  const { description, parameters, ...rest } = tool.function;
  const schema = parameters instanceof JsonObject ? withSchemaDefaults(parameters) : parameters;
  const shaped =
    description === undefined
      ? { name: rest.name, parameters: schema, strict: rest.strict, description: "" }
      : { name: rest.name, description, parameters: schema, strict: rest.strict };
  return { type: tool.type, function: shaped };
}

function withSchemaDefaults(given: JsonObject): JsonObject {
  const schema = serdeObject(given);
  const missing: (readonly [string, JsonValue])[] = [];
  if (!schema.has("type")) missing.push(["type", "object"]);
  if (!schema.has("properties")) missing.push(["properties", JsonObject.from([])]);
  return missing.length === 0 ? schema : JsonObject.from([...schema.entries(), ...missing]);
}
