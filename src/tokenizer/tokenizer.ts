export interface EncodeOptions {
  /** Adds what the tokenizer's post-processor adds, such as a leading BOS. Special tokens that stand in the text are recognised either way. */
  readonly addSpecialTokens: boolean;
}

/** Text to token ids, exactly as the model's worker does it. */
export interface Tokenizer {
  /**
   * Token ids of a whole prompt.
   * @param text without lone surrogates
   */
  encode(text: string, options: EncodeOptions): Uint32Array | Promise<Uint32Array>;
  /** One more than the highest token id, special tokens included. */
  readonly vocabularySize: number;
}
