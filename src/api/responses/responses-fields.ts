import { jsonSchemaFormat, reasoningEffort } from "../common-fields.ts";
import { nvext } from "../extensions.ts";
import {
  anyObject,
  anyValue,
  FieldError,
  flag,
  float32,
  isList,
  listOf,
  oneOf,
  optional,
  type Reader,
  recordOf,
  required,
  struct,
  tagged,
  text,
  u8,
  u32,
  withDefault,
} from "../fields/index.ts";
import { type InputItem, inputItem } from "./items.ts";
import { responsesTool, responsesToolChoice } from "./tools.ts";

/** Text, or items whose repeated keys the frontend does not mind. */
const input: Reader<string | readonly InputItem[]> = (value) => {
  if (typeof value === "string") return value;
  if (!isList(value)) throw new FieldError("must be a string or an array of input items");
  return listOf(inputItem)(value, "last");
};

const conversation: Reader<unknown> = (value, duplicates) =>
  typeof value === "string" ? value : struct({ id: required(text) })(value, duplicates);

const include = oneOf(
  "file_search_call.results",
  "web_search_call.results",
  "web_search_call.action.sources",
  "message.input_image.image_url",
  "computer_call_output.output.image_url",
  "code_interpreter_call.outputs",
  "reasoning.encrypted_content",
  "message.output_text.logprobs",
);

const textFormat = tagged<object>("type", {
  text: struct({}),
  json_object: struct({}),
  json_schema: (value, duplicates) => ({ json_schema: jsonSchemaFormat(value, duplicates) }),
});

/** Top level of a Responses body (dynamo-llm@1.6.1 NvCreateResponse over dynamo-protocols@8.2.0); unknown members are ignored. */
export const responsesFields = struct({
  background: optional(flag),
  conversation: optional(conversation),
  include: optional(listOf(include)),
  input: required(input),
  instructions: optional(text),
  max_output_tokens: optional(u32, "max_tokens"),
  max_tool_calls: optional(u32),
  metadata: optional(recordOf(text)),
  model: optional(text),
  parallel_tool_calls: optional(flag),
  previous_response_id: optional(text),
  prompt: optional(struct({ id: required(text), version: optional(text), variables: optional(anyValue) })),
  prompt_cache_key: optional(text),
  prompt_cache_retention: optional(oneOf("in_memory", "24h")),
  reasoning: optional(
    struct({
      effort: optional(reasoningEffort),
      summary: optional(oneOf("auto", "concise", "detailed")),
      mode: optional(text),
      context: optional(oneOf("auto", "current_turn", "all_turns")),
    }),
  ),
  safety_identifier: optional(text),
  service_tier: optional(oneOf("auto", "default", "flex", "scale", "priority", "fast", "ultrafast")),
  store: optional(flag),
  stream: optional(flag),
  stream_options: optional(struct({ include_obfuscation: optional(flag) })),
  temperature: optional(float32),
  text: optional(
    struct({
      format: withDefault<object>(textFormat, { type: "text" }),
      verbosity: optional(oneOf("low", "medium", "high")),
    }),
  ),
  tool_choice: optional(responsesToolChoice),
  tools: optional(listOf(responsesTool)),
  top_logprobs: optional(u8),
  top_p: optional(float32),
  truncation: optional(oneOf("auto", "disabled")),
  nvext: optional(nvext),
  chat_template_args: optional(anyObject, "chat_template_kwargs"),
  thinking_token_budget: optional(u32),
});

/** The body once read. */
export type ResponsesFields = ReturnType<typeof responsesFields>;
