/** What is known of a request's tokens. */
export interface TokenizedPrompt {
  /** Routed on; empty when the request is routed by load. */
  readonly tokenIds: Uint32Array;
  /** The ids may be handed to the backend as the prompt. */
  readonly injectable: boolean;
  /** Tokens of every prompt of a batch, in the body's order; undefined when there is one prompt. */
  readonly batch: readonly Uint32Array[] | undefined;
  /** The rendered prompt, for explanations on the operator's own machine only. */
  readonly text: string | undefined;
  /** Why the tokens are not known, for metrics; undefined when they are. */
  readonly inexactReason: string | undefined;
}

/** Tokens of a single prompt. */
export function exactPrompt(tokenIds: Uint32Array, injectable: boolean, text?: string): TokenizedPrompt {
  return { tokenIds, injectable, batch: undefined, text, inexactReason: undefined };
}

/** A prompt whose tokens are not known. */
export function unknownPrompt(inexactReason: string): TokenizedPrompt {
  return { tokenIds: new Uint32Array(0), injectable: false, batch: undefined, text: undefined, inexactReason };
}

/** Several prompts in one request: routed on the longest, which has most to gain from a cache. */
export function batchPrompt(batch: readonly Uint32Array[]): TokenizedPrompt {
  const longest = batch.reduce((best, ids) => (ids.length > best.length ? ids : best));
  return { tokenIds: longest, injectable: false, batch, text: undefined, inexactReason: undefined };
}
