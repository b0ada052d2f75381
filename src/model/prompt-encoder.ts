import type { Tokenizer } from "../tokenizer/index.ts";
import type { Profile } from "./profile.ts";

/** Text to tokens, with what the backend does to the text before. */
export class PromptEncoder {
  readonly #tokenizer: Tokenizer;
  readonly #dropsNul: boolean;

  constructor(tokenizer: Tokenizer, profile: Profile) {
    this.#tokenizer = tokenizer;
    this.#dropsNul = profile.dropsNul;
  }

  encode(text: string, addSpecialTokens: boolean): Uint32Array | Promise<Uint32Array> {
    return this.#tokenizer.encode(this.#dropsNul ? text.replaceAll("\0", "") : text, { addSpecialTokens });
  }
}
