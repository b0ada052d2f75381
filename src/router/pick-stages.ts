import type { PrepareWait } from "./elsewhere.ts";

/**
 * Parts of the work on a pick: reading the body; rendering the chat; tokenizing the text; hashing the blocks; all of these in a prompt
 * thread; waiting for a worker that is not too busy; choosing; booking.
 */
export type PickStageName = "parse" | "render" | "tokenize" | "hash" | "prompt_thread" | "wait" | "score" | "book";

/** Follows the parts of the work on one pick. */
export interface PickStages {
  /** Does a part, and notes when it began and ended, also when it throws or rejects. @returns what `work` returns */
  during<T>(stage: PickStageName, work: () => T): T;
}

/** A wait whose pick is followed. */
export class FollowedWait implements PrepareWait {
  readonly stages: PickStages;
  readonly #wait: PrepareWait;

  constructor(wait: PrepareWait, stages: PickStages) {
    this.#wait = wait;
    this.stages = stages;
  }

  get signal(): AbortSignal {
    return this.#wait.signal;
  }
}
