import { performance } from "node:perf_hooks";

/** Time, as replicas need it. */
export interface ReplicaEnvironment {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  /** Runs `task` once after `delayMs`, but never at once; 0 = after what is under way. @returns cancels it */
  after(delayMs: number, task: () => void): () => void;
  /** Uniform in [0,1). */
  random(): number;
}

/** That of the process; its timers do not keep it alive. */
export const systemEnvironment: ReplicaEnvironment = {
  now: () => performance.now(),
  after: (delayMs, task) => {
    if (delayMs === 0) {
      const immediate = setImmediate(task);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(task, delayMs).unref();
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Runs `task` every `intervalMs` until the returned function is called. */
export function every(environment: ReplicaEnvironment, intervalMs: number, task: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = environment.after(intervalMs, () => {
      next();
      task();
    });
  };
  next();
  return () => cancel();
}
