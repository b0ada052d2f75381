import { PreTrainedTokenizer } from "@huggingface/transformers";
import { Tokenizer as OfficialEngine } from "tokenizers";
import { readTokenizer, type TokenizerName } from "../../scripts/tokenizers.ts";
import { loadTokenizer, type Tokenizer } from "../../src/tokenizer/index.ts";

/** The tokenizers that are compared, for one model. */
export interface Engines {
  readonly ours: Tokenizer;
  /** A second one with caches of its own, which is handed pieces. */
  readonly oursInPieces: Tokenizer;
  /** A third one, for pieces whose ids are left as they are kept. */
  readonly oursInRuns: Tokenizer;
  /** npm `tokenizers`: the official Rust engine. */
  readonly official: OfficialEngine;
  /** `@huggingface/tokenizers`, the engine inside @huggingface/transformers. */
  readonly script: PreTrainedTokenizer;
}

export const ids = { addSpecialTokens: false };

export async function loadEngines(name: TokenizerName): Promise<Engines> {
  return {
    ours: await loadOurs(name),
    oursInPieces: await loadOurs(name),
    oursInRuns: await loadOurs(name),
    official: loadOfficial(name),
    script: loadScript(name),
  };
}

export function loadOurs(name: TokenizerName): Promise<Tokenizer> {
  return loadTokenizer(readTokenizer(name).tokenizerJson);
}

export function loadOfficial(name: TokenizerName): OfficialEngine {
  return OfficialEngine.fromString(readTokenizer(name).tokenizerJson.toString("utf8"));
}

export function loadScript(name: TokenizerName): PreTrainedTokenizer {
  const { tokenizerJson, tokenizerConfig } = readTokenizer(name);
  return new PreTrainedTokenizer(
    JSON.parse(tokenizerJson.toString("utf8")),
    JSON.parse(tokenizerConfig.toString("utf8")),
  );
}

/** Ids of the official engine. The time to hand them over is part of its cost. */
export async function officialIds(engine: OfficialEngine, text: string): Promise<Uint32Array> {
  return Uint32Array.from((await engine.encode(text, null, ids)).getIds());
}

/** Ids of the script engine. */
export function scriptIds(engine: PreTrainedTokenizer, text: string): Uint32Array {
  return Uint32Array.from(engine.encode(text, { add_special_tokens: false }));
}
