import type { Buffer } from "node:buffer";
import type { EncodedPrompt, PromptHead, TokenChain } from "../tokenizer/index.ts";

export type { PromptHead };

/** What is known of a request's tokens. */
export interface TokenizedPrompt {
  /** Routed on; empty when the request is routed by load. */
  readonly tokenIds: Uint32Array;
  /** The ids may be handed to the backend as the prompt. */
  readonly injectable: boolean;
  /** Tokens of every prompt of a batch, in the body's order; undefined when there is one prompt. */
  readonly batch: readonly Uint32Array[] | undefined;
  /** Each id in decimal after a comma, in parts from the tokenizer's cache; undefined where the ids did not come from text. */
  readonly decimals: (() => readonly Buffer[]) | undefined;
  /** The ids with what they have in common with other prompts; undefined where the ids did not come from text. */
  readonly chain: TokenChain | undefined;
  /** The rendered prompt in pieces, for explanations on the operator's own machine only. */
  readonly pieces: readonly string[] | undefined;
  /** Why the tokens are not known, for metrics; undefined when they are. */
  readonly inexactReason: string | undefined;
  /** The tokens are not known because to compute them would hold this thread for too long; another one can. */
  readonly isDeferred: boolean;
  /** From where the next turn can be continued, for `remember`. */
  readonly head: (() => PromptHead | undefined) | undefined;
}

/** Why a model defers every text. */
export const noEngineReason = "the model's tokenizer runs in another thread";

const unknown: TokenizedPrompt = {
  tokenIds: new Uint32Array(0),
  injectable: false,
  batch: undefined,
  decimals: undefined,
  chain: undefined,
  pieces: undefined,
  inexactReason: undefined,
  isDeferred: false,
  head: undefined,
};

/** Tokens of a single prompt. */
export function exactPrompt(tokenIds: Uint32Array, injectable: boolean): TokenizedPrompt {
  return { ...unknown, tokenIds, injectable };
}

/** Tokens of a single text. */
export function encodedPrompt(encoded: EncodedPrompt, injectable: boolean, pieces: readonly string[]): TokenizedPrompt {
  return new TextPrompt(encoded, injectable, pieces);
}

/** Its array of ids is made only when somebody asks for it. */
class TextPrompt implements TokenizedPrompt {
  readonly injectable: boolean;
  readonly batch = undefined;
  readonly pieces: readonly string[];
  readonly inexactReason = undefined;
  readonly isDeferred = false;
  readonly chain: TokenChain;
  readonly #encoded: EncodedPrompt;

  constructor(encoded: EncodedPrompt, injectable: boolean, pieces: readonly string[]) {
    this.#encoded = encoded;
    this.injectable = injectable;
    this.pieces = pieces;
    this.chain = encoded.chain;
  }

  get tokenIds(): Uint32Array {
    return this.#encoded.ids;
  }

  readonly decimals = () => this.#encoded.decimals();

  readonly head = () => this.#encoded.head();
}

/** A prompt whose tokens are not known. */
export function unknownPrompt(inexactReason: string): TokenizedPrompt {
  return { ...unknown, inexactReason };
}

/** A prompt whose tokens another thread can compute. */
export function deferredPrompt(inexactReason: string): TokenizedPrompt {
  return { ...unknown, inexactReason, isDeferred: true };
}

/** Several prompts in one request: routed on the longest, which has most to gain from a cache. */
export function batchPrompt(batch: readonly Uint32Array[]): TokenizedPrompt {
  const longest = batch.reduce((best, ids) => (ids.length > best.length ? ids : best));
  return { ...unknown, tokenIds: longest, batch };
}
