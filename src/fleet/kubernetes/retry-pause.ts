export interface RetryPauseOptions {
  /** First pause, ms; it doubles. > 0. */
  readonly minMs: number;
  /** Longest pause, ms. */
  readonly maxMs: number;
}

/** Pauses between attempts that fail in a row: they double up to a bound, each shortened at random by up to half, so that replicas do not call in step. */
export class RetryPause {
  readonly #options: RetryPauseOptions;
  readonly #random: () => number;
  #failures = 0;

  /** @param random uniform in [0,1) */
  constructor(options: RetryPauseOptions, random: () => number) {
    this.#options = options;
    this.#random = random;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts a failure. @returns how long to wait, ms */
  next(): number {
    const { minMs, maxMs } = this.#options;
    // Past 2^30 the bound has long been reached.
    const whole = Math.min(maxMs, minMs * 2 ** Math.min(30, this.#failures++));
    return whole * (1 - this.#random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
  }
}
