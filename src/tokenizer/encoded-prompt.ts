import type { Buffer } from "node:buffer";
import { IdRun } from "./id-run.ts";
import type { KnownPrompt } from "./prompt-cache.ts";
import { decimalsOf, idsOf, type TokenChain } from "./token-chain.ts";
import type { EncodedPrompt, PromptHead } from "./tokenizer.ts";

/** A prompt that may begin with one that the tokenizer knows. */
export class ChainedPrompt implements EncodedPrompt {
  readonly chain: TokenChain;
  readonly #known: KnownPrompt | undefined;
  #ids: Uint32Array | undefined;

  constructor(known: KnownPrompt | undefined, rest: readonly IdRun[]) {
    this.#known = known;
    let length = known?.length ?? 0;
    for (const run of rest) length += run.ids.length;
    this.chain = { parent: known, runs: rest, length };
  }

  /** A prompt of a tokenizer that keeps nothing of prompts. */
  static of(ids: Uint32Array): ChainedPrompt {
    const prompt = new ChainedPrompt(undefined, [new IdRun(ids)]);
    prompt.#ids = ids;
    return prompt;
  }

  get ids(): Uint32Array {
    this.#ids ??= idsOf(this.chain);
    return this.#ids;
  }

  decimals(): readonly Buffer[] {
    return decimalsOf(this.chain);
  }

  head(): PromptHead | undefined {
    if (this.#known === undefined) return undefined;
    const pieces: string[] = [];
    for (let link: KnownPrompt | undefined = this.#known; link !== undefined; link = link.parent) {
      pieces.unshift(...link.pieces);
    }
    const { cut, length, prefix } = this.#known;
    return { pieces, cut, length, addSpecialTokens: prefix !== undefined };
  }
}
