import type { Buffer } from "node:buffer";
import { JsonObject, type JsonValue, parseJson } from "../json/index.ts";
import type { RenderedChat } from "./chat-strategy.ts";
import { isList } from "./messages.ts";
import type { PromptEncoder } from "./prompt-encoder.ts";

/**
 * Token ids of a prompt whose pieces are tokenized each for itself (dynamo-tokenizers@3.1.1 `encode_segments`).
 * @param specialTexts what the tokenizer takes for a token of its own
 * @returns undefined when a text holds one of them: in a piece that is no sign it is none
 */
export async function segmentTokens(
  { pieces, areSigns }: RenderedChat,
  encoder: PromptEncoder,
  specialTexts: readonly string[],
): Promise<Uint32Array | undefined> {
  const isText = (at: number) => areSigns?.[at] !== true;
  if (pieces.some((piece, at) => isText(at) && specialTexts.some((text) => piece.includes(text)))) return undefined;
  const parts: Uint32Array[] = [];
  for (const piece of pieces) parts.push((await encoder.encodeSegment(piece)).ids);
  const ids = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    ids.set(part, at);
    at += part.length;
  }
  return ids;
}

/** Texts of the tokens that were added to a tokenizer, by either of its files. */
export function addedTexts(tokenizerJson: Buffer, tokenizerConfig: JsonObject): readonly string[] {
  const root = parseJson(tokenizerJson);
  const added = root instanceof JsonObject ? root.get("added_tokens") : undefined;
  const decoder = tokenizerConfig.get("added_tokens_decoder");
  const declared = decoder instanceof JsonObject ? [...decoder.entries()].map(([, token]) => token) : [];
  return [...(isList(added) ? added : []), ...declared].flatMap(contentOf);
}

function contentOf(token: JsonValue): readonly string[] {
  const content = token instanceof JsonObject ? token.get("content") : undefined;
  return typeof content === "string" && content !== "" ? [content] : [];
}
