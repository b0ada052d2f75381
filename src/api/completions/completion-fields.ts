import { commonFields, logitBias, stop, streamOptions } from "../common-fields.ts";
import { nvext } from "../extensions.ts";
import { anyValue, flag, float32, i64, optional, required, struct, text, u8, u32 } from "../fields/index.ts";
import { completionPrompt } from "./prompt.ts";

/** Top level of a completions body (dynamo-llm@1.6.1 NvCreateCompletionRequest over dynamo-protocols@8.2.0). */
const fields = {
  model: required(text),
  prompt: required(completionPrompt),
  prompt_embeds: optional(text),
  suffix: optional(text),
  max_tokens: optional(u32),
  temperature: optional(float32),
  top_p: optional(float32),
  n: optional(u8),
  stream: optional(flag),
  stream_options: optional(streamOptions),
  logprobs: optional(u8),
  echo: optional(flag),
  stop: optional(stop),
  presence_penalty: optional(float32),
  frequency_penalty: optional(float32),
  best_of: optional(u8),
  logit_bias: optional(logitBias),
  user: optional(text),
  seed: optional(i64),
  ...commonFields,
  nvext: optional(nvext),
  metadata: optional(anyValue),
  return_tokens_as_token_ids: optional(flag),
  no_stop_trim: optional(flag),
};

export const completionFields = struct(fields);

/** The body once read. */
export type CompletionFields = ReturnType<typeof completionFields>;

/** Every name that the top level accepts. */
export const completionFieldNames: ReadonlySet<string> = new Set(Object.keys(fields));
