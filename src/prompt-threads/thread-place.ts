import type { Worker } from "node:worker_threads";
import type { Clock } from "./clock.ts";
import type { LoadedMessage, ThreadState } from "./messages.ts";
import { PromptThread } from "./prompt-thread.ts";

const firstRestartMs = 100;
const lastRestartMs = 10_000;

export interface ThreadPlaceOptions {
  /** Starts a thread. */
  readonly spawn: () => Worker;
  /** What a thread is told when it starts, in this order. */
  readonly states: readonly ThreadState[];
  readonly clock: Clock;
  readonly loaded: (message: LoadedMessage) => void;
  /** A thread has ended by itself, and will be started again. */
  readonly ended: (cause: Error | number) => void;
  /** A thread has been started again. */
  readonly restarted: () => void;
}

/** Keeps one thread running: one that ends is started again, after a pause that doubles from 0.1 to 10 s unless jobs were answered meanwhile. */
export class ThreadPlace {
  readonly #options: ThreadPlaceOptions;
  #thread: PromptThread | undefined;
  #pauseMs = firstRestartMs;
  #isClosed = false;
  #cancelRestart: () => void = () => undefined;

  constructor(options: ThreadPlaceOptions) {
    this.#options = options;
    this.#start();
  }

  /** Undefined while none is running. */
  get thread(): PromptThread | undefined {
    return this.#thread;
  }

  /** The thread does its work: the next restart is a quick one. */
  worksWell(): void {
    this.#pauseMs = firstRestartMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRestart();
    await this.#thread?.terminate();
  }

  #start(): void {
    const { spawn, loaded } = this.#options;
    const thread = new PromptThread(spawn(), { loaded, ended: (cause) => this.#restart(cause) });
    for (const state of this.#options.states) thread.tell(state);
    this.#thread = thread;
  }

  #restart(cause: Error | number): void {
    this.#thread = undefined;
    if (this.#isClosed) return;
    this.#options.ended(cause);
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, lastRestartMs);
    this.#cancelRestart = this.#options.clock.after(pauseMs, () => {
      this.#start();
      this.#options.restarted();
    });
  }
}
