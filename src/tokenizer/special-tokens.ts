import { JsonObject, type JsonValue } from "../json/index.ts";

/** A special token as `tokenizer_config.json` declares it. */
export interface SpecialToken {
  readonly content: string;
  readonly singleWord: boolean;
  readonly leftStrip: boolean;
  readonly rightStrip: boolean;
  readonly normalized: boolean;
}

/** The entries of `added_tokens_decoder` with `special: true`, in the file's order; their ids follow from their text. */
export function specialTokensOf(tokenizerConfig: JsonObject | undefined): readonly SpecialToken[] {
  const declared = tokenizerConfig?.get("added_tokens_decoder");
  if (!(declared instanceof JsonObject)) return [];
  const tokens: SpecialToken[] = [];
  for (const [, entry] of declared.entries()) {
    const token = specialToken(entry);
    if (token !== undefined) tokens.push(token);
  }
  return tokens;
}

function specialToken(entry: JsonValue): SpecialToken | undefined {
  if (!(entry instanceof JsonObject) || entry.get("special") !== true) return undefined;
  const content = entry.get("content");
  if (typeof content !== "string" || content === "") return undefined;
  return {
    content,
    singleWord: entry.get("single_word") === true,
    leftStrip: entry.get("lstrip") === true,
    rightStrip: entry.get("rstrip") === true,
    normalized: entry.get("normalized") === true,
  };
}
