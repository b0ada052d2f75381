import type { Worker } from "node:worker_threads";
import type { PrepareInput } from "../router/index.ts";
import type { FromThread, JobAnswer, LoadedMessage, PrepareMessage, ThreadState } from "./messages.ts";

/** What becomes of a job in a thread; exactly one is called, once. */
export interface JobEnd {
  answered(answer: JobAnswer): void;
  /** The thread has ended before it answered. */
  lost(): void;
}

/** What a thread tells beside the ends of its jobs. */
export interface ThreadNews {
  loaded(message: LoadedMessage): void;
  /** Told once, after the jobs were, why the thread ended. */
  ended(cause: Error | number): void;
}

/** One running thread with the jobs that it has. */
export class PromptThread {
  readonly #worker: Worker;
  readonly #jobs = new Map<number, JobEnd>();
  #hasEnded = false;

  constructor(worker: Worker, news: ThreadNews) {
    this.#worker = worker;
    worker.on("message", (message: FromThread) => {
      if (message.kind === "loaded") news.loaded(message);
      else this.#take(message);
    });
    worker.on("error", (error) => this.#end(() => news.ended(error)));
    worker.on("messageerror", () => void worker.terminate());
    worker.on("exit", (code) => this.#end(() => news.ended(code)));
  }

  /** Jobs that it has not answered. */
  get load(): number {
    return this.#jobs.size;
  }

  tell(state: ThreadState): void {
    this.#worker.postMessage(state);
  }

  /** Hands a job over: one copy of the body. */
  start(job: number, { path, body, tenantIds, trustClient }: PrepareInput, end: JobEnd): void {
    this.#jobs.set(job, end);
    const copy = new Uint8Array(body);
    const message: PrepareMessage = { kind: "prepare", job, path, body: copy, tenantIds, trustClient };
    this.#worker.postMessage(message, [copy.buffer]);
  }

  /** Its answer is not wanted any more; it still counts until the thread has said so. */
  cancel(job: number): void {
    this.#worker.postMessage({ kind: "cancel", job });
  }

  /** Ends the thread whatever it does; `ended` is told. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #take(answer: JobAnswer): void {
    const end = this.#jobs.get(answer.job);
    this.#jobs.delete(answer.job);
    end?.answered(answer);
  }

  #end(tell: () => void): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const lost = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const end of lost) end.lost();
    tell();
  }
}
