import {
  audioOutput,
  commonFields,
  legacyFunctionCall,
  logitBias,
  prediction,
  reasoningEffort,
  responseFormat,
  stop,
  streamOptions,
  webSearchOptions,
} from "../common-fields.ts";
import { nvext } from "../extensions.ts";
import {
  anyObject,
  anyValue,
  flag,
  float32,
  i64,
  listOf,
  oneOf,
  optional,
  required,
  struct,
  text,
  u8,
  u32,
} from "../fields/index.ts";
import { chatMessage } from "./messages.ts";
import { chatTool, chatToolChoice } from "./tools.ts";

/** Top level of a chat body (dynamo-llm@1.6.1 NvCreateChatCompletionRequest over dynamo-protocols@8.2.0). */
const fields = {
  messages: required(listOf(chatMessage)),
  model: required(text),
  mm_processor_kwargs: optional(anyValue),
  store: optional(flag),
  reasoning_effort: optional(reasoningEffort),
  metadata: optional(anyValue),
  frequency_penalty: optional(float32),
  logit_bias: optional(logitBias),
  logprobs: optional(flag),
  top_logprobs: optional(u8),
  max_tokens: optional(u32),
  max_completion_tokens: optional(u32),
  n: optional(u8),
  modalities: optional(listOf(oneOf("text", "audio"))),
  prediction: optional(prediction),
  audio: optional(audioOutput),
  presence_penalty: optional(float32),
  response_format: optional(responseFormat),
  seed: optional(i64),
  service_tier: optional(oneOf("auto", "default", "flex", "scale", "priority", "fast")),
  stop: optional(stop),
  stream: optional(flag),
  stream_options: optional(streamOptions),
  temperature: optional(float32),
  top_p: optional(float32),
  tools: optional(listOf(chatTool)),
  tool_choice: optional(chatToolChoice),
  parallel_tool_calls: optional(flag),
  user: optional(text),
  prompt_cache_key: optional(text),
  function_call: optional(legacyFunctionCall),
  functions: optional(
    listOf(struct({ name: required(text), description: optional(text), parameters: required(anyValue) })),
  ),
  web_search_options: optional(webSearchOptions),
  ...commonFields,
  nvext: optional(nvext),
  chat_template_args: optional(anyObject, "chat_template_kwargs"),
  thinking: optional(anyValue),
  thinking_token_budget: optional(u32),
  media_io_kwargs: optional(anyValue),
  return_tokens_as_token_ids: optional(flag),
};

export const chatFields = struct(fields);

/** The body once read. */
export type ChatFields = ReturnType<typeof chatFields>;

/** Every name that the top level accepts. */
export const chatFieldNames: ReadonlySet<string> = new Set([...Object.keys(fields), "chat_template_kwargs"]);
