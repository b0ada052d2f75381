import { randomBytes, randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";

/** Time and chance, as the queue needs them. */
export interface QueueEnvironment {
  /** Milliseconds on a monotonic scale. */
  now(): number;
  /** Milliseconds since 1970: deadlines are read by other machines. */
  wallMs(): number;
  /** Calls back once after a delay. @returns cancels it */
  after(delayMs: number, task: () => void): () => void;
  /** Uniform in [0,1). */
  random(): number;
  /** A UUID that nobody has drawn before. */
  uuid(): string;
  /** 32 hexadecimal digits that nobody can guess. */
  token(): string;
}

/** That of the process. */
export const systemQueueEnvironment: QueueEnvironment = {
  now: () => performance.now(),
  wallMs: Date.now,
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
  uuid: randomUUID,
  token: () => randomBytes(16).toString("hex"),
};
