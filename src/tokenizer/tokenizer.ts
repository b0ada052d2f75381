import type { Buffer } from "node:buffer";

export interface EncodeOptions {
  /** Adds what the tokenizer's post-processor adds, such as a leading BOS. Special tokens that stand in the text are recognised either way. */
  readonly addSpecialTokens: boolean;
}

/**
 * Whose reading of a model's files counts: `raw` is tokenizer.json as it stands (Dynamo), `transformers5` what AutoTokenizer of Hugging
 * Face's transformers 5 makes of it (vLLM, SGLang). They differ for the class LlamaTokenizer.
 */
export type TokenizerView = "raw" | "transformers5";

/** Token ids of a prompt. */
export interface EncodedPrompt {
  readonly ids: Uint32Array;
  /** Each id in decimal after a comma, as in `,123,45`: without its first byte, the inside of a JSON array. Mostly copied from a cache. */
  decimals(): Buffer;
}

/** Text to token ids, exactly as the model's worker does it. */
export interface Tokenizer {
  /**
   * Token ids of a whole prompt.
   * @param text without lone surrogates
   */
  encode(text: string, options: EncodeOptions): Uint32Array | Promise<Uint32Array>;
  /**
   * Token ids of the pieces joined, equal to those of the joined string. A long piece that was part of an earlier prompt costs one look-up
   * when it is the same string object, and a hash and a comparison when it is an equal one.
   * @param pieces without lone surrogates; a pair may not be split between two
   */
  encodePieces(pieces: readonly string[], options: EncodeOptions): EncodedPrompt | Promise<EncodedPrompt>;
  /** One more than the highest token id, special tokens included. */
  readonly vocabularySize: number;
}
