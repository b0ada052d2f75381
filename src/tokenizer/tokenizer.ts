import type { Buffer } from "node:buffer";
import type { TokenChain } from "./token-chain.ts";

export interface EncodeOptions {
  /** Adds what the tokenizer's post-processor adds, such as a leading BOS. Special tokens that stand in the text are recognised either way. */
  readonly addSpecialTokens: boolean;
}

export interface EncodePiecesOptions extends EncodeOptions {
  /** Spares copies of pieces that are to be kept. Default: finds none. */
  readonly ownText?: OwnText | undefined;
  /** Encodes NUL characters even where those of prompts are dropped. Default: false. */
  readonly keepsNul?: boolean | undefined;
}

/**
 * Finds a string that is equal to a piece and owns its characters, as those do that were read from a body: a part of a longer string keeps
 * all of that alive. Undefined where there is none at hand.
 */
export type OwnText = (piece: string) => string | undefined;

/**
 * Whose reading of a model's files counts: `raw` is tokenizer.json as it stands (Dynamo), `transformers5` what AutoTokenizer of Hugging
 * Face's transformers 5 makes of it (vLLM), `sglang` what SGLang makes of that. They differ for the class LlamaTokenizer and for files that
 * are not what their class builds.
 */
export type TokenizerView = "raw" | "transformers5" | "sglang";

/** Token ids of a prompt. */
export interface EncodedPrompt {
  /** The ids, with what they have in common with other prompts. */
  readonly chain: TokenChain;
  /** The ids in one array, which is made when it is first asked for. */
  readonly ids: Uint32Array;
  /** Each id in decimal after a comma, as in `,123,45`, in parts: without the first byte, the inside of a JSON array. Mostly from a cache. */
  decimals(): readonly Buffer[];
  /** From where a longer prompt can be continued; undefined where the tokenizer keeps nothing of prompts. */
  head(): PromptHead | undefined;
}

/** The beginning of a prompt whose ids do not depend on what follows it. */
export interface PromptHead {
  /** The last of them only counts up to `cut`. */
  readonly pieces: readonly string[];
  readonly cut: number;
  /** How many of the prompt's ids it has. */
  readonly length: number;
  /** Whether the special tokens that come first are among them. */
  readonly addSpecialTokens: boolean;
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
  encodePieces(pieces: readonly string[], options: EncodePiecesOptions): EncodedPrompt | Promise<EncodedPrompt>;
  /**
   * Takes over the head of a prompt that another tokenizer of the same files has encoded, so that the next turn costs its new text only.
   * @param ids the prompt's; those beyond the head are not looked at
   */
  remember(head: PromptHead, ids: Uint32Array): void;
  /** Whether pieces are encoded without their NUL characters. */
  readonly dropsNul: boolean;
  /** One more than the highest token id, special tokens included. */
  readonly vocabularySize: number;
}
