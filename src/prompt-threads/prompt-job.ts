import type { PrepareInput, Unprepared } from "../router/index.ts";
import type { PreparedMessage } from "./messages.ts";
import type { PromptThread } from "./prompt-thread.ts";

export type PromptOutcome = PreparedMessage | Unprepared;

/** One request for the threads, until it has an outcome. */
export class PromptJob {
  readonly number: number;
  readonly input: PrepareInput;
  readonly affinity: number;
  /** The thread that has it; undefined while it waits. */
  thread: PromptThread | undefined;
  readonly outcome: Promise<PromptOutcome>;
  readonly #resolve: (outcome: PromptOutcome) => void;
  readonly #reject: (error: unknown) => void;
  readonly #clean: (() => void)[] = [];
  #isSettled = false;

  constructor(number: number, input: PrepareInput, affinity: number) {
    this.number = number;
    this.input = input;
    this.affinity = affinity;
    const { promise, resolve, reject } = Promise.withResolvers<PromptOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Called once, when there is an outcome. */
  whenSettled(clean: () => void): void {
    this.#clean.push(clean);
  }

  /** The first outcome counts. */
  succeed(outcome: PromptOutcome): void {
    if (this.#settle()) this.#resolve(outcome);
  }

  /** As `succeed`, with an error for the one who waits. */
  refuse(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (this.#isSettled) return false;
    this.#isSettled = true;
    for (const clean of this.#clean) clean();
    return true;
  }
}
