/** Time as surfaces use it. */
export interface Clock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
  /** Calls back once after a delay. @returns a function that cancels it */
  after(delayMs: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
