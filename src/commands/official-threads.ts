import type { PreparingThreads, PromptOutcome, PromptThreads, ThreadState } from "../prompt-threads/index.ts";
import type { PrepareInput } from "../router/index.ts";

/** Threads with the official engine, started when they are first needed: most pickers never need them. */
export class OfficialThreads implements PreparingThreads {
  readonly #start: () => PromptThreads;
  readonly #states: ThreadState[] = [];
  readonly #waiting = new Map<number, { resolve(): void; reject(error: Error): void }>();
  #threads: PromptThreads | undefined;

  constructor(start: () => PromptThreads) {
    this.#start = start;
  }

  get queued(): number {
    return this.#threads?.queued ?? 0;
  }

  get running(): number {
    return this.#threads?.running ?? 0;
  }

  tell(state: ThreadState): void {
    this.#states.push(state);
    this.#threads?.tell(state);
  }

  prepare(input: PrepareInput, signal: AbortSignal | undefined): Promise<PromptOutcome> {
    return this.#started().prepare(input, signal);
  }

  /** Resolves when a model that has no other engine has been loaded here. Rejects when it cannot be. */
  whenLoaded(index: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(index, { resolve, reject });
      this.#started();
    });
  }

  /** To be called with what the threads tell. */
  loaded(index: number, failure: string | undefined): void {
    const waiting = this.#waiting.get(index);
    this.#waiting.delete(index);
    if (failure === undefined) waiting?.resolve();
    else waiting?.reject(new Error(failure));
  }

  async close(): Promise<void> {
    await this.#threads?.close();
  }

  #started(): PromptThreads {
    if (this.#threads === undefined) {
      this.#threads = this.#start();
      for (const state of this.#states) this.#threads.tell(state);
    }
    return this.#threads;
  }
}
