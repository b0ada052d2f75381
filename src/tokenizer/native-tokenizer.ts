import { AddedToken, Tokenizer as NativeEngine } from "tokenizers";
import type { JsonObject } from "../json/index.ts";
import { ChainedPrompt } from "./encoded-prompt.ts";
import { specialTokensOf } from "./special-tokens.ts";
import type { EncodedPrompt, EncodeOptions, Tokenizer } from "./tokenizer.ts";

/** The official Rust tokenizers. Encoding runs on the thread pool; only handing the ids over (0.1 us an id) is done on the main thread. */
export class NativeTokenizer implements Tokenizer {
  readonly dropsNul = false;
  readonly vocabularySize: number;
  readonly #engine: NativeEngine;

  /**
   * Loads a `tokenizer.json` (takes 0.3 to 1.5 s, synchronous). Its truncation and padding are switched off, and special tokens that
   * only `tokenizer_config.json` declares are added (dynamo-tokenizers@3.1.1 hf.rs merge_special_tokens_from_config).
   * @throws Error when the file is not a tokenizer that the engine understands
   */
  constructor(tokenizerJson: string, tokenizerConfig: JsonObject | undefined) {
    const engine = NativeEngine.fromString(tokenizerJson);
    engine.disableTruncation();
    engine.disablePadding();
    const specials = specialTokensOf(tokenizerConfig);
    // Tokens that tokenizer.json has are left as they are.
    if (specials.length > 0) {
      engine.addAddedTokens(specials.map(({ content, ...options }) => new AddedToken(content, true, options)));
    }
    this.#engine = engine;
    this.vocabularySize = idBound(engine);
  }

  async encode(text: string, options: EncodeOptions): Promise<Uint32Array> {
    const encoding = await this.#engine.encode(text, null, options);
    return Uint32Array.from(encoding.getIds());
  }

  async encodePieces(pieces: readonly string[], options: EncodeOptions): Promise<EncodedPrompt> {
    return ChainedPrompt.of(await this.encode(pieces.join(""), options));
  }

  /** It keeps nothing of prompts. */
  remember(): void {}
}

/** Ids can be sparse: the count of the vocabulary is no bound. */
function idBound(engine: NativeEngine): number {
  let bound = 0;
  for (const id of Object.values(engine.getVocab(true))) bound = Math.max(bound, id + 1);
  return bound;
}
