import { JsonObject, type JsonValue } from "../json/index.ts";

/** A token beside the model's vocabulary, as a model's files declare it. */
export interface AddedToken {
  readonly content: string;
  readonly special: boolean;
  readonly singleWord: boolean;
  readonly leftStrip: boolean;
  readonly rightStrip: boolean;
  readonly normalized: boolean;
}

/** The entries of `added_tokens_decoder` of tokenizer_config.json, in its order; their ids follow from their text. */
export function declaredTokens(tokenizerConfig: JsonObject | undefined): readonly AddedToken[] {
  const declared = tokenizerConfig?.get("added_tokens_decoder");
  if (!(declared instanceof JsonObject)) return [];
  return [...declared.entries()].flatMap(([, entry]) => declaredToken(entry) ?? []);
}

/** Those of them that are special, which Dynamo adds (dynamo-tokenizers@3.1.1 hf.rs merge_special_tokens_from_config). */
export function specialTokensOf(tokenizerConfig: JsonObject | undefined): readonly AddedToken[] {
  return declaredTokens(tokenizerConfig).filter(({ special }) => special);
}

/** A token as an object with flags, or undefined when it has no text. */
export function declaredToken(entry: JsonValue): AddedToken | undefined {
  if (!(entry instanceof JsonObject)) return undefined;
  const content = entry.get("content");
  if (typeof content !== "string" || content === "") return undefined;
  return {
    content,
    special: entry.get("special") === true,
    singleWord: entry.get("single_word") === true,
    leftStrip: entry.get("lstrip") === true,
    rightStrip: entry.get("rstrip") === true,
    normalized: entry.get("normalized") === true,
  };
}
