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
}
