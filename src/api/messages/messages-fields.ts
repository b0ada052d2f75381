import {
  anyValue,
  FieldError,
  flag,
  float32,
  isList,
  listOf,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  text,
  u32,
  withDefault,
} from "../fields/index.ts";
import { cacheControl } from "./cache-control.ts";
import { type ContentBlock, messageContent } from "./content-blocks.ts";
import { messagesTool, messagesToolChoice } from "./tools.ts";

/** One turn of the conversation. */
export interface MessagesMessage {
  readonly role: "user" | "assistant" | "system";
  readonly content: string | readonly ContentBlock[];
}

export const messagesMessage: Reader<MessagesMessage> = struct({
  role: required(oneOf("user", "assistant", "system")),
  content: required(messageContent),
});

const systemBlock = struct({ text: required(text), cache_control: optional(cacheControl) }, { positional: true });

/** The system prompt, or the texts of its blocks, which need no type here. */
export const systemPrompt: Reader<string | readonly string[]> = (value, duplicates) => {
  if (typeof value === "string") return value;
  if (!isList(value)) throw new FieldError("must be a string or an array of text blocks");
  return listOf(systemBlock)(value, duplicates).map((block) => block.text);
};

/** Top level of a Messages body (dynamo-protocols@8.2.0 AnthropicCreateMessageRequest); unknown members are ignored. */
export const messagesFields = struct({
  model: required(text),
  max_tokens: required(u32),
  messages: required(listOf(messagesMessage)),
  /** Read once the model is known. */
  nvext: optional(anyValue),
  system: optional(systemPrompt),
  temperature: optional(float32),
  top_p: optional(float32),
  top_k: optional(u32),
  stop_sequences: optional(listOf(text)),
  stream: withDefault(flag, false),
  metadata: optional(anyValue),
  tools: optional(listOf(messagesTool)),
  tool_choice: optional(messagesToolChoice),
  cache_control: optional(cacheControl),
  thinking: optional(struct({ type: required(text), budget_tokens: optional(u32) })),
  service_tier: optional(text),
  container: optional(text),
  output_config: optional(anyValue),
});

/** The body once read. */
export type MessagesFields = ReturnType<typeof messagesFields>;
