import type { NumberedPayload } from "./frames.ts";
import { ReplayError } from "./replay-error.ts";
import type { Replay } from "./stream-follower.ts";

/** Most requests of one replay, and most of them that end in silence. */
const maxRequests = 64;
const maxSilences = 3;

/**
 * A replay that asks again where an answer has a hole or falls silent, as long as each answer brings something: an engine's ROUTER socket
 * drops what does not fit into its queue, which is a thousand batches, while engines keep ten thousand. A hole that stays is the
 * caller's to see. Throws ReplayError as `replay` does, and when another engine answers in between.
 */
export function wholeReplay(replay: Replay): Replay {
  return async function* (from) {
    const progress = new Progress();
    while (!(yield* oneAnswer(replay, from, progress)));
  };
}

/** Returns whether it was the last that is needed. */
async function* oneAnswer(
  replay: Replay,
  from: number,
  progress: Progress,
): AsyncGenerator<NumberedPayload, boolean, undefined> {
  progress.begin();
  try {
    for await (const message of replay(progress.last?.sequence ?? from)) {
      if (progress.isKnown(message)) continue;
      if (progress.isBehindHole(message)) return false;
      progress.take(message);
      yield message;
    }
    return true;
  } catch (error) {
    if (!progress.mayAskAfter(error)) throw error;
    return false;
  }
}

/** How far the answers to one replay have come. */
class Progress {
  last: NumberedPayload | undefined;
  #requests = 0;
  #silences = 0;
  /** The present answer has brought something. */
  #hasBrought = false;

  begin(): void {
    this.#requests++;
    this.#hasBrought = false;
  }

  take(message: NumberedPayload): void {
    this.last = message;
    this.#hasBrought = true;
  }

  /** Throws ReplayError when it is known under this number with another content. */
  isKnown({ sequence, payload }: NumberedPayload): boolean {
    if (this.last === undefined || sequence > this.last.sequence) return false;
    if (sequence === this.last.sequence && !payload.equals(this.last.payload)) {
      throw new ReplayError("another engine answered in the middle of a replay");
    }
    return true;
  }

  isBehindHole({ sequence }: NumberedPayload): boolean {
    return this.#mayAskAgain && this.last !== undefined && sequence > this.last.sequence + 1;
  }

  mayAskAfter(error: unknown): boolean {
    const isSilence = error instanceof ReplayError && error.isSilence;
    return isSilence && this.#mayAskAgain && ++this.#silences <= maxSilences;
  }

  get #mayAskAgain(): boolean {
    return this.#hasBrought && this.#requests < maxRequests;
  }
}
