import { EventQueue } from "../../src/replay/index.ts";
import type { ReplicaEnvironment } from "../../src/replicas/index.ts";

/** Virtual time as replicas need it: promises that are kept are followed before anything else happens. */
export class VirtualTime implements ReplicaEnvironment {
  readonly #events = new EventQueue();
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  now(): number {
    return this.#events.nowMs;
  }

  random(): number {
    return this.#random();
  }

  after(delayMs: number, task: () => void): () => void {
    let isCancelled = false;
    this.#events.after(delayMs, () => {
      if (!isCancelled) task();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** Until `isOver`. */
  async runUntil(isOver: () => boolean): Promise<void> {
    while (!isOver() && this.#events.runNext()) for (let i = 0; i < 4; i++) await Promise.resolve();
  }
}
