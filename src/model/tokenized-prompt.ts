import type { Buffer } from "node:buffer";
import type { EncodedPrompt, PromptHead } from "../tokenizer/index.ts";

export type { PromptHead };

/** What is known of a request's tokens. */
export interface TokenizedPrompt {
  /** Routed on; empty when the request is routed by load. */
  readonly tokenIds: Uint32Array;
  /** The ids may be handed to the backend as the prompt. */
  readonly injectable: boolean;
  /** Tokens of every prompt of a batch, in the body's order; undefined when there is one prompt. */
  readonly batch: readonly Uint32Array[] | undefined;
  /** Each id in decimal after a comma, from the tokenizer's cache; undefined where the ids did not come from text. */
  readonly decimals: (() => Buffer) | undefined;
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
  const decimals = () => encoded.decimals();
  return { ...unknown, tokenIds: encoded.ids, injectable, decimals, pieces, head: () => encoded.head() };
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
