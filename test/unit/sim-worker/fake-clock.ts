import type { SimClock } from "../../../src/sim-worker/sim-clock.ts";

interface Sleeper {
  readonly deadlineMs: number;
  readonly wake: () => void;
}

/** A clock that moves only when told to. */
export class FakeClock implements SimClock {
  #nowMs = 0;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#nowMs;
  }

  sleepUntil(deadlineMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (deadlineMs <= this.#nowMs) return resolve();
      const sleeper = { deadlineMs, wake: resolve };
      this.#sleepers.push(sleeper);
      signal.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** Moves on by `ms`, waking each sleeper at its time; what they then do is done when this resolves. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (let next = this.#next(endMs); next !== undefined; next = this.#next(endMs)) {
      this.#nowMs = next.deadlineMs;
      next.wake();
      await settle();
    }
    this.#nowMs = endMs;
  }

  #next(endMs: number): Sleeper | undefined {
    this.#sleepers.sort((a, b) => a.deadlineMs - b.deadlineMs);
    return (this.#sleepers[0]?.deadlineMs ?? Number.POSITIVE_INFINITY) <= endMs ? this.#sleepers.shift() : undefined;
  }
}

/** Lets everything run that waits for nothing but promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
