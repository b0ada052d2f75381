import { Buffer } from "node:buffer";
import { type Clock, inTurns, type Turns } from "../../http/index.ts";
import type { PickSummary } from "./console-picks.ts";
import type { ConsoleSource } from "./console-source.ts";
import type { ConsoleFrame, StateReading } from "./state-reading.ts";
import { stateParts } from "./state-text.ts";

/** A state as readers get it. */
export interface StateUpdate {
  /** Counts from 1. */
  readonly number: number;
  /** JSON in pieces, made once for all readers. */
  readonly pieces: readonly Buffer[];
  /** The state's latest decisions. */
  readonly picks: readonly PickSummary[];
}

export interface StateFeedOptions {
  /** Time between two states, ms. */
  readonly updateIntervalMs: number;
}

/** Pause after a state for each ms of the thread's time that it took: a twentieth of it at most. */
const pausePerTime = 20;
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
  readonly #turns: Turns;
  #latest: StateUpdate | undefined;
  #latestAtMs = Number.NEGATIVE_INFINITY;
  /** From the last state to the next one. */
  #pauseMs: number;
  #making: Promise<StateUpdate> | undefined;

  constructor(source: ConsoleSource, options: StateFeedOptions, clock: Clock, turns: Turns) {
    this.#source = source;
    this.#options = options;
    this.#clock = clock;
    this.#turns = turns;
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
    const { pieces, picks, spentMs } = await this.#write(await this.#source.state());
    this.#pauseMs = Math.max(this.#options.updateIntervalMs, Math.min(longestPauseMs, pausePerTime * spentMs));
    this.#latestAtMs = this.#clock.now();
    this.#latest = { number: (this.#latest?.number ?? 0) + 1, pieces, picks };
    return this.#latest;
  }

  /** In turns with others, whose time does not count. */
  async #write(reading: StateReading): Promise<Omit<StateUpdate, "number"> & { readonly spentMs: number }> {
    const clock = this.#clock;
    let spentMs = 0;
    let frame: ConsoleFrame | undefined;
    function* timed(): Generator<string> {
      const parts = stateParts(reading);
      for (;;) {
        const startMs = clock.now();
        const { done, value } = parts.next();
        spentMs += clock.now() - startMs;
        if (done === true) {
          frame = value;
          return;
        }
        yield value;
      }
    }
    const pieces: Buffer[] = [];
    for await (const piece of inTurns(timed(), this.#turns)) pieces.push(Buffer.from(piece));
    return { pieces, picks: frame?.picks ?? [], spentMs };
  }
}
