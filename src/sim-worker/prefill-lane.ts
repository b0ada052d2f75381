import type { SimClock } from "./sim-clock.ts";

/** Runs prefills one after another, as a GPU whose compute is full does: a long one delays those behind it. */
export class PrefillLane {
  readonly #clock: SimClock;
  readonly #waiters: (() => void)[] = [];
  #isBusy = false;
  /** When the last prefill was due to end: the next one starts then, whatever the timer's lateness. */
  #freeAtMs = 0;

  constructor(clock: SimClock) {
    this.#clock = clock;
  }

  /** Waits for its turn and then `costMs`. Rejects with the signal's reason on abort; the lane is then free again. */
  async run(costMs: number, signal: AbortSignal): Promise<void> {
    const arrivedAtMs = this.#clock.now();
    await this.#enter(signal);
    const endMs = Math.max(arrivedAtMs, this.#freeAtMs) + costMs;
    try {
      await this.#clock.sleepUntil(endMs, signal);
      this.#freeAtMs = endMs;
    } finally {
      if (this.#freeAtMs < endMs) this.#freeAtMs = this.#clock.now();
      this.#leave();
    }
  }

  #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isBusy) {
      this.#isBusy = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const onTurn = () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#waiters.splice(this.#waiters.indexOf(onTurn), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(onTurn);
    });
  }

  #leave(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#isBusy = false;
    else next();
  }
}
