import { Buffer } from "node:buffer";
import { type Clock, inTurns } from "../../http/index.ts";
import type { PickSummary } from "./console-picks.ts";
import type { ConsoleSource } from "./console-source.ts";
import type { ConsoleState } from "./console-state.ts";
import { stateParts } from "./state-text.ts";

/** A state as readers get it. */
export interface StateUpdate {
  /** Counts from 1. */
  readonly number: number;
  /** JSON, made once for all readers. */
  readonly text: Buffer;
  /** The state's latest decisions. */
  readonly picks: readonly PickSummary[];
}

export interface StateFeedOptions {
  /** Time between two states, ms. */
  readonly updateIntervalMs: number;
}

/** Pause after a state for each ms that its text took: together with reading it, a twentieth of the process's time at most. */
const pausePerTime = 40;
/** No fleet makes it longer. */
const longestPauseMs = 10_000;

/**
 * The latest state, made once for all readers, and only while somebody waits for one. Nothing is kept for a reader: who comes back late
 * gets the latest, and not those in between.
 */
export class StateFeed {
  readonly #source: ConsoleSource;
  readonly #options: StateFeedOptions;
  readonly #clock: Clock;
  #latest: StateUpdate | undefined;
  #latestAtMs = Number.NEGATIVE_INFINITY;
  /** From the last state to the next one. */
  #pauseMs: number;
  #making: Promise<StateUpdate> | undefined;

  constructor(source: ConsoleSource, options: StateFeedOptions, clock: Clock) {
    this.#source = source;
    this.#options = options;
    this.#clock = clock;
    this.#pauseMs = options.updateIntervalMs;
  }

  /** A state of which no more than a fraction of the interval has gone by. Rejects when none can be made. */
  current(): Promise<StateUpdate> {
    const isFresh = this.#clock.now() - this.#latestAtMs < this.#pauseMs / 4;
    return this.#latest !== undefined && isFresh ? Promise.resolve(this.#latest) : this.#make();
  }

  /**
   * The latest state, as soon as it is a newer one than `number` and its time has come. Rejects when none can be made, or with the
   * signal's reason.
   * @param number 0 = any
   */
  async next(number: number, signal: AbortSignal): Promise<StateUpdate> {
    const dueInMs = this.#latestAtMs + this.#pauseMs - this.#clock.now();
    if (this.#latest !== undefined && this.#latest.number > number && dueInMs > 0) return this.#latest;
    const before = this.#latest;
    await this.#sleep(dueInMs, signal);
    // Another reader may have had it made meanwhile. What was there before is old by now, also for who has not had it.
    return this.#latest !== undefined && this.#latest !== before ? this.#latest : this.#make();
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!(ms > 0)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const aborted = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = this.#clock.after(ms, () => {
        signal.removeEventListener("abort", aborted);
        resolve();
      });
      signal.addEventListener("abort", aborted, { once: true });
    });
  }

  #make(): Promise<StateUpdate> {
    this.#making ??= this.#update().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #update(): Promise<StateUpdate> {
    const state = await this.#source.state();
    const startMs = this.#clock.now();
    const text = await textOf(state);
    const { updateIntervalMs } = this.#options;
    const now = this.#clock.now();
    this.#pauseMs = Math.max(updateIntervalMs, Math.min(longestPauseMs, pausePerTime * (now - startMs)));
    this.#latestAtMs = now;
    this.#latest = { number: (this.#latest?.number ?? 0) + 1, text, picks: state.picks };
    return this.#latest;
  }
}

async function textOf(state: ConsoleState): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of inTurns(stateParts(state))) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
