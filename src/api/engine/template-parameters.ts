/** Names of template arguments that reach other places than the template's variables in both engines: those of transformers' functions. */
export const templateParameters: readonly string[] = [
  "chat_template",
  "conversation",
  "max_length",
  "messages",
  "padding",
  "raise_exception",
  "return_assistant_tokens_mask",
  "return_tensors",
  "strftime_now",
  "tokenize",
  "tokenizer_kwargs",
  "tools",
  "truncation",
];
