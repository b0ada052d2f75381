import type { Allocation, BlockCache, IdentifiedPrompt } from "./block-cache.ts";

interface Waiter {
  readonly prompt: IdentifiedPrompt;
  readonly outputTokens: number;
  readonly resolve: (allocation: Allocation) => void;
}

/**
 * First come, first served entry to the engine: a request runs when there is a place among the running ones and its
 * blocks are free. A request that needs more than the whole cache runs alone.
 */
export class AdmissionQueue {
  readonly #cache: BlockCache;
  readonly #maxRunning: number;
  readonly #waiters: Waiter[] = [];
  #running = 0;

  constructor(cache: BlockCache, maxRunning: number) {
    this.#cache = cache;
    this.#maxRunning = maxRunning;
  }

  /** Requests that hold a place. */
  get running(): number {
    return this.#running;
  }

  /** Requests that wait for a place or for blocks. */
  get waiting(): number {
    return this.#waiters.length;
  }

  /**
   * Waits for a place and the blocks; `release` of the answer gives both back. Rejects with the signal's reason when
   * it aborts before that.
   */
  enter(prompt: IdentifiedPrompt, outputTokens: number, signal: AbortSignal): Promise<Allocation> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        prompt,
        outputTokens,
        resolve(allocation) {
          signal.removeEventListener("abort", onAbort);
          resolve(allocation);
        },
      };
      const onAbort = () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        reject(signal.reason);
        this.#admit();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiters.push(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiters[0]; next !== undefined && this.#running < this.#maxRunning; next = this.#waiters[0]) {
      const allocation = this.#cache.allocate(next.prompt, next.outputTokens, this.#running === 0);
      if (allocation === undefined) return;
      this.#waiters.shift();
      this.#running += 1;
      next.resolve(this.#withPlace(allocation));
    }
  }

  #withPlace(allocation: Allocation): Allocation {
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      allocation.release();
      this.#running -= 1;
      this.#admit();
    };
    return { cachedTokens: allocation.cachedTokens, release };
  }
}
