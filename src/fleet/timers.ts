/** Runs something later. */
export interface Timers {
  /** Runs `task` once after `delayMs`. @returns cancels it; harmless afterwards */
  after(delayMs: number, task: () => void): () => void;
}

/** Timers of the process; they do not keep it alive. */
export const systemTimers: Timers = {
  after(delayMs, task) {
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
