import { Tokenizer as NativeEngine, AddedToken as NativeToken } from "tokenizers";
import { ChainedPrompt } from "./encoded-prompt.ts";
import type { AddedToken } from "./special-tokens.ts";
import type { EncodedPrompt, EncodeOptions, Tokenizer } from "./tokenizer.ts";

/** The official Rust tokenizers. Encoding runs on the thread pool; only handing the ids over (0.1 us an id) is done on the main thread. */
export class NativeTokenizer implements Tokenizer {
  readonly dropsNul = false;
  readonly vocabularySize: number;
  readonly #engine: NativeEngine;

  /**
   * Loads a `tokenizer.json` (takes 0.3 to 1.5 s, synchronous). Its truncation and padding are switched off.
   * @param tokens to be added to those of the file
   * @throws Error when the file is not a tokenizer that the engine understands
   */
  constructor(tokenizerJson: string, tokens: readonly AddedToken[] = []) {
    const engine = NativeEngine.fromString(tokenizerJson);
    engine.disableTruncation();
    engine.disablePadding();
    // Tokens that tokenizer.json has are left as they are.
    if (tokens.length > 0) {
      engine.addAddedTokens(
        tokens.map(({ content, special, ...options }) => new NativeToken(content, special, options)),
      );
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
