const words =
  "the model keeps what it has read and answers from there so a longer prompt costs little when its start is known and a new one costs all of it each word here stands for one token of an answer that says nothing".split(
    " ",
  );

/**
 * The answer of the pretended model: one word per output token, chosen by the prompt alone, so that every worker gives
 * the same answer to the same prompt.
 */
export class OutputText {
  readonly #start: number;
  readonly #stride: number;

  constructor(promptTokens: Uint32Array) {
    let hash = 0x811c9dc5;
    for (const token of promptTokens) hash = Math.imul(hash ^ token, 0x01000193);
    this.#start = hash >>> 0;
    this.#stride = 1 + ((hash >>> 8) % (words.length - 1));
  }

  /** Text of the output tokens from `from` up to, not including, `to`. */
  slice(from: number, to: number): string {
    let text = "";
    for (let index = from; index < to; index += 1) {
      const word = words[(this.#start + index * this.#stride) % words.length] ?? "";
      text += index === 0 ? word : ` ${word}`;
    }
    return text;
  }
}
