export interface RetryBudgetOptions {
  /** Retries as a part of all requests. */
  readonly ratio: number;
  /** Retries that are allowed in each second whatever that part is. */
  readonly perSecond: number;
}

/** Seconds of either allowance that can be saved up. */
const savedSeconds = 10;

/** Bounds the retries of all requests together: a fleet that fails is not asked ever more. */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  readonly #now: () => number;
  /** Saved from requests. */
  #earned = 0;
  /** Saved from time. */
  #granted: number;
  #lastMs: number;

  /** @param now milliseconds on a monotonic scale */
  constructor(options: RetryBudgetOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
    this.#granted = options.perSecond;
    this.#lastMs = now();
  }

  /** A request has come. */
  earn(): void {
    this.#earned = Math.min(this.#earned + this.#options.ratio, maxEarned);
  }

  /** Takes one retry. @returns false when there is none */
  spend(): boolean {
    const { perSecond } = this.#options;
    const nowMs = this.#now();
    this.#granted = Math.min(this.#granted + ((nowMs - this.#lastMs) / 1_000) * perSecond, savedSeconds * perSecond);
    this.#lastMs = nowMs;
    if (this.#granted >= 1) this.#granted -= 1;
    else if (this.#earned >= 1) this.#earned -= 1;
    else return false;
    return true;
  }
}

/** Most retries saved up from requests: a quiet past does not pay for a storm. */
const maxEarned = 1_000;
