/** Monotonic milliseconds; only differences have meaning. */
export interface Clock {
  now(): number;
}

/**
 * Shares the event loop among all that apply events: together they get `budgetMs` of each turn, and whoever exceeds it waits
 * for a later turn. One object for the whole process.
 */
export class TurnBudget {
  readonly #budgetMs: number;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #isOpen = false;
  #openedAt = 0;

  /** @param budgetMs time in each turn of the event loop. Default 1.5 ms */
  constructor(clock: Clock, budgetMs = 1.5) {
    if (!(budgetMs > 0)) throw new RangeError(`budgetMs must be > 0, got ${budgetMs}`);
    this.#clock = clock;
    this.#budgetMs = budgetMs;
  }

  /** True when this turn's share is used up, or others wait: then await `nextTurn` before going on. */
  get isSpent(): boolean {
    if (!this.#isOpen) this.#open();
    return this.#waiting.length > 0 || this.#clock.now() - this.#openedAt >= this.#budgetMs;
  }

  /** Resolves in a later turn of the event loop, one waiter a turn, in order. */
  nextTurn(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isOpen) this.#open();
    });
  }

  #open(): void {
    this.#isOpen = true;
    this.#openedAt = this.#clock.now();
    setImmediate(() => {
      this.#isOpen = false;
      const resolve = this.#waiting.shift();
      if (resolve === undefined) return;
      this.#open();
      resolve();
    });
  }
}
