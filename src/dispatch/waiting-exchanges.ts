/** Time as waits use it. */
export interface WaitClock {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  /** Calls back once after a delay. @returns a function that cancels it */
  after(delayMs: number, callback: () => void): () => void;
}

/** Something that waits for a connection. */
export interface Waiting {
  /** The wait was too long. */
  giveUp(): void;
}

/** Ends waits for connections that last too long, with one timer for all of them. */
export class WaitingExchanges {
  readonly #timeoutMs: number;
  readonly #clock: WaitClock;
  /** Deadlines, the earliest first: all waits are equally long. */
  readonly #deadlines = new Map<Waiting, number>();
  #cancelTimer: (() => void) | undefined;

  /** @param timeoutMs 0 = they may wait for ever */
  constructor(timeoutMs: number, clock: WaitClock) {
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  begin(waiting: Waiting): void {
    if (this.#timeoutMs === 0) return;
    this.#deadlines.set(waiting, this.#clock.now() + this.#timeoutMs);
    this.#cancelTimer ??= this.#clock.after(this.#timeoutMs, this.#look);
  }

  end(waiting: Waiting): void {
    this.#deadlines.delete(waiting);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#deadlines.clear();
  }

  readonly #look = (): void => {
    this.#cancelTimer = undefined;
    const nowMs = this.#clock.now();
    for (const [waiting, deadlineMs] of this.#deadlines) {
      if (deadlineMs > nowMs) {
        this.#cancelTimer = this.#clock.after(Math.max(1, deadlineMs - nowMs), this.#look);
        return;
      }
      this.#deadlines.delete(waiting);
      waiting.giveUp();
    }
  };
}
