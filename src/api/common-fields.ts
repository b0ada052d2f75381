import {
  anyValue,
  FieldError,
  firstOf,
  flag,
  float32,
  i32,
  listOf,
  nullDefault,
  oneOf,
  optional,
  type Reader,
  recordOf,
  required,
  struct,
  tagged,
  text,
  u32,
} from "./fields/index.ts";

/** Engine options of chat and completions beyond OpenAI's (dynamo-llm@1.6.1 protocols/openai/common_ext.rs). */
export const commonFields = {
  ignore_eos: optional(flag),
  min_tokens: optional(u32),
  top_k: optional(i32),
  min_p: optional(float32),
  repetition_penalty: optional(float32),
  include_stop_str_in_output: optional(flag),
  guided_json: optional(anyValue),
  guided_regex: optional(text),
  guided_grammar: optional(text),
  guided_choice: optional(listOf(text)),
  guided_decoding_backend: optional(text),
  guided_whitespace_pattern: optional(text),
  skip_special_tokens: optional(flag),
  prompt_logprobs: optional(u32),
  add_generation_prompt: optional(flag),
  continue_final_message: optional(flag),
};

/** A JSON schema for structured output; shared by chat and Responses. */
export const jsonSchemaFormat = struct({
  description: optional(text),
  name: required(text),
  schema: required(anyValue),
  strict: optional(flag),
});

export const responseFormat = tagged<object>("type", {
  text: struct({}),
  json_object: struct({}),
  json_schema: struct({ json_schema: required(jsonSchemaFormat) }),
});

export const reasoningEffort = oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max");

/** A stop text, several, or several token ids. */
export const stop: Reader<string | readonly (string | number)[]> = (value, duplicates) => {
  if (typeof value === "string") return value;
  return stopList(value, duplicates);
};

const stopList = firstOf(listOf(text), listOf(u32), "must be a string, an array of strings or an array of token ids");

export const streamOptions = struct({
  include_usage: nullDefault(flag, false),
  continuous_usage_stats: nullDefault(flag, false),
});

export const logitBias = recordOf(anyValue);

/** A voice is any name. */
export const audioOutput = struct({
  voice: required(text),
  format: required(oneOf("wav", "aac", "mp3", "flac", "opus", "pcm16")),
});

const predictionText = struct({ text: required(text) });

/** `{"type": "content", "content": text or text parts}`. */
export const prediction = tagged<object>("type", {
  content: struct({
    content: required((value, duplicates) => {
      if (typeof value === "string") return value;
      return listOf(predictionText)(value, duplicates);
    }),
  }),
});

export const webSearchOptions = struct({
  search_context_size: optional(oneOf("low", "medium", "high")),
  user_location: optional(
    struct({
      type: required(oneOf("approximate")),
      approximate: required(
        struct({ country: optional(text), region: optional(text), city: optional(text), timezone: optional(text) }),
      ),
    }),
  ),
});

/** The deprecated way to force a function: a word, or its name. */
export const legacyFunctionCall: Reader<unknown> = (value, duplicates) => {
  if (value === "none" || value === "auto") return value;
  if (typeof value === "string") throw new FieldError("must be none, auto or a named function");
  return struct({ name: required(text) })(value, duplicates);
};
