import type { ReplicaEnvironment } from "../../../src/replicas/index.ts";

interface Task {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes when it is told to, with what is due in it. */
export class FakeEnvironment implements ReplicaEnvironment {
  readonly #tasks = new Set<Task>();
  #nowMs = 0;
  #order = 0;

  now(): number {
    return this.#nowMs;
  }

  random(): number {
    return 0.5;
  }

  after(delayMs: number, run: () => void): () => void {
    const task = { atMs: this.#nowMs + delayMs, order: this.#order++, run };
    this.#tasks.add(task);
    return () => this.#tasks.delete(task);
  }

  /** Runs what is due in the next `ms`, in order, and what promises it keeps. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled();
    for (let task = this.#next(endMs); task !== undefined; task = this.#next(endMs)) {
      this.#tasks.delete(task);
      this.#nowMs = task.atMs;
      task.run();
      await settled();
    }
    this.#nowMs = endMs;
    await settled();
  }

  /** The process stands still: time passes and nothing runs. */
  standStill(ms: number): void {
    this.#nowMs += ms;
  }

  #next(endMs: number): Task | undefined {
    let next: Task | undefined;
    for (const task of this.#tasks) {
      if (task.atMs > endMs) continue;
      if (next === undefined || task.atMs < next.atMs || (task.atMs === next.atMs && task.order < next.order))
        next = task;
    }
    return next;
  }
}

/** Lets promises that are kept already be followed. */
async function settled(): Promise<void> {
  for (let i = 0; i < 16; i++) await Promise.resolve();
}
