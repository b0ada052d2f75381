import type { ResponsesFields } from "./responses-fields.ts";

/** The first field that asks for something which the frontend knows and does not implement (it answers 501); else undefined. */
export function unimplementedField(request: ResponsesFields): string | undefined {
  const fields = request.nvext?.extra_fields ?? [];
  if (fields.includes("completion_token_ids") || fields.includes("prompt_logprobs")) return "nvext.extra_fields";
  if (request.background === true) return "background";
  if (request.previous_response_id !== undefined) return "previous_response_id";
  if (request.prompt !== undefined) return "prompt";
  return request.max_tool_calls === undefined ? undefined : "max_tool_calls";
}
