/** Load to charge to a rank while a request runs there. */
export interface ReservationRequest {
  /** Prompt length, tokens. */
  readonly promptTokens: number;
  /** Prompt tokens that the rank holds already; the rest is prefill load. May exceed `promptTokens`. */
  readonly cachedTokens: number;
  /** Chained sequence hashes of the prompt's complete blocks, lo,hi u32 pairs, length >= 2*count. Copied. */
  readonly sequence: Uint32Array;
  /** Complete blocks of the prompt; 0 = no blocks are charged. */
  readonly count: number;
  /** Whether the prefill tokens are charged. Default true. */
  readonly tracksPrefill?: boolean;
  /** Whether blocks equal to another request's on the rank are charged once. Default true. */
  readonly assumesKvReuse?: boolean;
}

/** The load booked for one request. Every method is idempotent, and harmless after `release` or when the rank is gone. */
export interface Reservation {
  readonly id: string;
  /** Slot that is charged; -1 once released or when its rank went away. */
  readonly slot: number;
  /** Whether it is charged to a rank: false once released or when its rank went away. */
  readonly isHeld: boolean;
  /** Prefill tokens still charged. */
  readonly prefillTokens: number;
  /** The prompt is prefilled: its tokens are no longer charged. */
  prefillComplete(): void;
  /**
   * One more block of output was generated.
   * @param fraction in [0,1]: what this request's output blocks and the prompt blocks that only it holds weigh from here
   *   on; undefined leaves weights as they are
   */
  outputBlock(fraction?: number): void;
  /** The request is over; implies `prefillComplete`. */
  release(): void;
  /**
   * Charges another rank instead: the request is served there. Also books again after the first rank went away.
   * @param cachedTokens prompt tokens that the new rank holds; default: as at the first rank
   */
  move(toSlot: number, cachedTokens?: number): void;
}
