import type { CompletionsParsed } from "../api/index.ts";
import type { Profile } from "./profile.ts";
import type { PromptEncoder } from "./prompt-encoder.ts";
import { checkTokenIds } from "./token-bounds.ts";
import {
  batchPrompt,
  deferredPrompt,
  encodedPrompt,
  exactPrompt,
  noEngineReason,
  type TokenizedPrompt,
  unknownPrompt,
} from "./tokenized-prompt.ts";

export interface CompletionSettings {
  readonly profile: Profile;
  /** Undefined: texts are deferred. */
  readonly encoder: PromptEncoder | undefined;
  /** First token id that the model does not have. */
  readonly idBound: number;
  /** Longest prompt that is tokenized, in UTF-16 units. */
  readonly maxPromptLength: number;
}

/**
 * Tokens of a completions body: no template. The client's `token_data` takes the place of a single text, and of each text of a
 * batch; with a list of one text, or with token ids, it is ignored (dynamo@1.6.1 preprocessor gather_tokens, observed).
 * @throws RoutingError for token ids that the model does not have
 */
export async function completionTokens(
  parsed: CompletionsParsed,
  settings: CompletionSettings,
): Promise<TokenizedPrompt> {
  const { prompt } = parsed;
  const given = settings.profile.injectsTokens ? parsed.extensions.tokenData : undefined;
  if (given !== undefined && prompt.kind !== "embeds") checkTokenIds(given, settings.idBound, "nvext.token_data");
  switch (prompt.kind) {
    case "embeds":
      return embedded(prompt.prompts, settings.profile);
    case "ids":
      checkTokenIds(prompt.ids, settings.idBound, "prompt");
      return exactPrompt(prompt.ids, true);
    case "id-lists":
      for (const [at, ids] of prompt.lists.entries()) checkTokenIds(ids, settings.idBound, `prompt[${at}]`);
      return prompts(prompt.lists);
    case "text":
      return given === undefined ? textTokens([prompt.text], parsed, settings) : exactPrompt(given, false);
    case "texts":
      if (given !== undefined && prompt.texts.length > 1) return batchPrompt(prompt.texts.map(() => given));
      return textTokens(prompt.texts, parsed, settings);
  }
}

async function textTokens(
  texts: readonly string[],
  parsed: CompletionsParsed,
  { profile, encoder, maxPromptLength }: CompletionSettings,
): Promise<TokenizedPrompt> {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length > maxPromptLength) return unknownPrompt("prompt too long to tokenize");
  if (encoder === undefined) return deferredPrompt(noEngineReason);
  const addSpecialTokens = parsed.addSpecialTokens ?? profile.completionsAddSpecialTokens;
  const [text] = texts;
  if (texts.length === 1 && text !== undefined) {
    return encodedPrompt(await encoder.encodePieces([text], addSpecialTokens), true, [text]);
  }
  const lists: Uint32Array[] = [];
  for (const each of texts) lists.push((await encoder.encodePieces([each], addSpecialTokens)).ids);
  return prompts(lists);
}

/** A tensor in place of tokens: Dynamo's frontend hands its worker none, whatever else the body says. */
function embedded(count: number, profile: Profile): TokenizedPrompt {
  if (profile.dialect !== "dynamo") return unknownPrompt("prompt embeddings");
  const none = new Uint32Array(0);
  return count > 1 ? batchPrompt(Array.from({ length: count }, () => none)) : exactPrompt(none, false);
}

function prompts(lists: readonly Uint32Array[]): TokenizedPrompt {
  if (lists.length > 1) return batchPrompt(lists);
  return exactPrompt(lists[0] ?? new Uint32Array(0), true);
}
