import { JsonObject } from "../../json/index.ts";
import { FieldError } from "../fields/index.ts";
import { checkGuidedDecoding } from "../guided-decoding.ts";
import { checkOutputTokens, checkRange, checkSampling } from "../sampling.ts";
import type { ChatFields } from "./chat-fields.ts";

/**
 * Limits of chat options beyond the conversation itself (dynamo-llm@1.6.1 chat_completions.rs validate).
 * @throws FieldError
 */
export function checkChatOptions(request: ChatFields): void {
  checkRange("top_logprobs", request.top_logprobs, 0, 20);
  checkOutputTokens("max_tokens", request.max_tokens);
  checkOutputTokens("max_completion_tokens", request.max_completion_tokens);
  checkResponseFormat(request.response_format, "response_format");
  checkSampling(request);
  checkGuidedDecoding(request, request.response_format !== undefined && !isTextFormat(request.response_format));
  if ((request.n ?? 1) > 1 && request.nvext?.extra_fields?.includes("completion_token_ids") === true) {
    throw new FieldError("asks for token ids, which needs a single choice", "nvext.extra_fields");
  }
}

function isTextFormat(format: object): boolean {
  return "type" in format && format.type === "text";
}

/** A JSON-schema format needs a name and a schema that is an object. */
export function checkResponseFormat(format: object | undefined, path: string): void {
  if (format === undefined || !("json_schema" in format)) return;
  const { name, schema } = format.json_schema as { readonly name: string; readonly schema: unknown };
  if (name === "") throw new FieldError("must not be empty", `${path}.json_schema.name`);
  if (!(schema instanceof JsonObject)) throw new FieldError("must be an object", `${path}.json_schema.schema`);
}

/** Deprecated ways to declare functions: the frontend knows and does not implement them. */
export function legacyFunctionField(request: ChatFields): string | undefined {
  if (request.function_call !== undefined) return "function_call";
  return request.functions === undefined ? undefined : "functions";
}
