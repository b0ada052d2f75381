import type { EncodedPrompt, OwnText, Tokenizer } from "../tokenizer/index.ts";
import type { Profile } from "./profile.ts";

/** Text to tokens, with what the backend does to the text before. */
export class PromptEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #dropsNul: boolean;

  constructor(tokenizer: Tokenizer, profile: Profile) {
    this.#tokenizer = tokenizer;
    this.#dropsNul = profile.dropsNul && !tokenizer.dropsNul;
  }

  /** As `encode` of the pieces joined; a piece that was in an earlier prompt costs little. */
  encodePieces(
    pieces: readonly string[],
    addSpecialTokens: boolean,
    ownText?: OwnText,
  ): EncodedPrompt | Promise<EncodedPrompt> {
    const kept = this.#dropsNul ? pieces.map((piece) => piece.replaceAll("\0", "")) : pieces;
    return this.#tokenizer.encodePieces(kept, { addSpecialTokens, ownText });
  }

  /** Ids of a text that the backend tokenizes for itself, and as it stands (dynamo@1.6.1 preprocessor.rs `encode_prompt_with_timing`). */
  encodeSegment(text: string): EncodedPrompt | Promise<EncodedPrompt> {
    return this.#tokenizer.encodePieces([text], { addSpecialTokens: false, keepsNul: true });
  }
}
