import type { Worker } from "node:worker_threads";
import type { PrepareInput } from "../router/index.ts";
import { affinityOf } from "./affinity.ts";
import type { Clock } from "./clock.ts";
import { errorOf, type JobAnswer, type LoadedMessage, type ThreadState } from "./messages.ts";
import { PromptJob, type PromptOutcome } from "./prompt-job.ts";
import { ThreadPlace } from "./thread-place.ts";

export interface PromptThreadsOptions {
  /** >= 1. */
  readonly threads: number;
  /** Jobs that a thread has under way at one time, >= 1: long texts are encoded in slices, so that a short job passes a long one. */
  readonly jobsAtOnce: number;
  /** Jobs that wait for a thread; one more fails. */
  readonly maxQueued: number;
  /** A job that takes longer fails, in ms. A thread that has not let go of it twice as long later is ended. */
  readonly deadlineMs: number;
}

/** Why a job was not done. */
export type PromptFailure =
  | "too many large prompts wait"
  | "a large prompt took too long"
  | "a prompt thread ended"
  | "a prompt thread failed";

/** What happens to the threads, for metrics and the log. */
export interface PromptThreadsEvents {
  /** A job is done. */
  prepared(): void;
  /** A job could not be done. */
  failed(failure: PromptFailure): void;
  /** A fault of ours in a thread: its type and place. */
  faulty(fault: string): void;
  /** A thread has ended by itself; it will be started again. */
  ended(cause: Error | number): void;
  /** A thread has loaded a model, or could not; told for each thread. */
  loaded(index: number, failure: string | undefined): void;
}

/**
 * Threads that prepare requests: a bounded queue, a deadline for each job, threads that are started again when they end. A job that cannot be done
 * has an outcome that says so; none is lost.
 */
export class PromptThreads {
  readonly #options: PromptThreadsOptions;
  readonly #events: PromptThreadsEvents;
  readonly #clock: Clock;
  readonly #states: ThreadState[] = [];
  readonly #places: readonly ThreadPlace[];
  readonly #queue: PromptJob[] = [];
  /** Stop looking whether threads have let go of jobs that were given up. */
  readonly #watches = new Set<() => void>();
  #lastJob = 0;
  #isClosed = false;

  /** Starts the threads. @param spawn starts one */
  constructor(spawn: () => Worker, options: PromptThreadsOptions, events: PromptThreadsEvents, clock: Clock) {
    this.#options = options;
    this.#events = events;
    this.#clock = clock;
    const place = {
      spawn,
      states: this.#states,
      clock,
      loaded: ({ index, failure }: LoadedMessage) => events.loaded(index, failure),
      ended: (cause: Error | number) => events.ended(cause),
      restarted: () => this.#dispatch(),
    };
    this.#places = Array.from({ length: options.threads }, () => new ThreadPlace(place));
  }

  /** Jobs that wait for a thread. */
  get queued(): number {
    return this.#queue.length;
  }

  /** Jobs that threads have. */
  get running(): number {
    return this.#places.reduce((sum, { thread }) => sum + (thread?.load ?? 0), 0);
  }

  /** Tells every thread, and each that is started later, in this order. */
  tell(state: ThreadState): void {
    this.#states.push(state);
    for (const { thread } of this.#places) thread?.tell(state);
  }

  /** Prepares a request in a thread. Rejects with the RoutingError of `prepareRequest`, or with the signal's reason. */
  prepare(input: PrepareInput, signal: AbortSignal | undefined): Promise<PromptOutcome> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const affinity = this.#places.length === 1 ? 0 : affinityOf(input.body);
    const job = new PromptJob(++this.#lastJob, input, affinity);
    if (this.#isClosed) this.#fail(job, "a prompt thread ended");
    else if (this.#isFull(affinity)) this.#fail(job, "too many large prompts wait");
    else this.#accept(job, signal);
    return job.outcome;
  }

  /** Ends all threads; jobs without an outcome fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#queue.splice(0)) this.#fail(job, "a prompt thread ended");
    for (const unwatch of this.#watches) unwatch();
    await Promise.all(this.#places.map((place) => place.close()));
  }

  #isFull(affinity: number): boolean {
    return this.#queue.length >= this.#options.maxQueued && this.#freePlace(affinity) === undefined;
  }

  #accept(job: PromptJob, signal: AbortSignal | undefined): void {
    job.whenSettled(this.#clock.after(this.#options.deadlineMs, () => this.#expire(job)));
    const abort = () => this.#leave(job, () => job.refuse(signal?.reason));
    signal?.addEventListener("abort", abort, { once: true });
    job.whenSettled(() => signal?.removeEventListener("abort", abort));
    this.#queue.push(job);
    this.#dispatch();
  }

  #dispatch(): void {
    while (this.#queue[0] !== undefined) {
      const place = this.#freePlace(this.#queue[0].affinity);
      if (place === undefined) return;
      this.#start(this.#queue.shift() as PromptJob, place);
    }
  }

  /** The one that knows the conversation, unless it is busy; else the one that is least so. */
  #freePlace(affinity: number): ThreadPlace | undefined {
    const load = ({ thread }: ThreadPlace) => thread?.load ?? Number.POSITIVE_INFINITY;
    const preferred = this.#places[affinity % this.#places.length];
    if (preferred !== undefined && load(preferred) < this.#options.jobsAtOnce) return preferred;
    const idlest = this.#places.reduce((best, place) => (load(place) < load(best) ? place : best));
    return load(idlest) < this.#options.jobsAtOnce ? idlest : undefined;
  }

  #start(job: PromptJob, place: ThreadPlace): void {
    const { thread } = place;
    job.thread = thread;
    thread?.start(job.number, job.input, {
      answered: (answer) => {
        job.thread = undefined;
        place.worksWell();
        this.#answer(job, answer);
        this.#dispatch();
      },
      lost: () => {
        job.thread = undefined;
        this.#fail(job, "a prompt thread ended");
      },
    });
  }

  #answer(job: PromptJob, answer: JobAnswer): void {
    if (job.isSettled) return;
    switch (answer.kind) {
      case "prepared":
        this.#events.prepared();
        job.succeed(answer.prepared);
        return;
      case "refused":
        this.#events.prepared();
        job.refuse(errorOf(answer.refusal));
        return;
      case "failed":
        this.#events.faulty(answer.fault);
        this.#fail(job, "a prompt thread failed");
        return;
      case "cancelled":
        this.#fail(job, "a prompt thread failed");
        return;
    }
  }

  #fail(job: PromptJob, failure: PromptFailure): void {
    if (job.isSettled) return;
    this.#events.failed(failure);
    job.succeed({ failure });
  }

  #expire(job: PromptJob): void {
    this.#leave(job, () => this.#fail(job, "a large prompt took too long"));
  }

  /** Gives a job up: it leaves the queue, or its thread is told, and ended when it does not let go. */
  #leave(job: PromptJob, settle: () => void): void {
    settle();
    const { thread } = job;
    if (thread === undefined) {
      const at = this.#queue.indexOf(job);
      if (at >= 0) this.#queue.splice(at, 1);
      return;
    }
    thread.cancel(job.number);
    const unwatch = this.#clock.after(2 * this.#options.deadlineMs, () => {
      this.#watches.delete(unwatch);
      if (job.thread === thread) void thread.terminate();
    });
    this.#watches.add(unwatch);
  }
}
