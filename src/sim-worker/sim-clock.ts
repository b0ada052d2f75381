/** Time as the engine sees it. */
export interface SimClock {
  /** Milliseconds on a monotonic scale, with fractions; only differences have meaning. */
  now(): number;
  /** Resolves at `deadlineMs` of `now()`, at once when that is past. Rejects with the signal's reason on abort. */
  sleepUntil(deadlineMs: number, signal: AbortSignal): Promise<void>;
}

/** A timer cannot be set finer than this, in ms; shorter waits are skipped, and deadlines keep the sum right. */
const timerGrainMs = 0.5;

/** The machine's clock. */
export const systemClock: SimClock = {
  now: () => performance.now(),
  sleepUntil(deadlineMs, signal) {
    signal.throwIfAborted();
    const waitMs = deadlineMs - performance.now();
    return waitMs < timerGrainMs ? Promise.resolve() : sleep(waitMs, signal);
  },
};

function sleep(waitMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, waitMs);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
