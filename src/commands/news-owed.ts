import type { WorkerRank } from "../fleet/index.ts";
import type { BlockHashes } from "../kv/index.ts";
import type { Clock } from "../kv-events/index.ts";
import type { SentPrompts, ServedModel } from "../router/index.ts";

/** When prompts were sent to a rank that it has to tell of, ms. */
interface Owed {
  /** The earliest since it was last heard. */
  firstMs: number;
  lastMs: number;
}

/**
 * Which ranks owe an event: they were sent a prompt with complete blocks that they did not hold, which they have to store and tell of.
 * A prompt that is cached, or shorter than a block, brings none.
 */
export class NewsOwed implements SentPrompts {
  readonly #clock: Clock;
  readonly #owed = new Map<number, Owed>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  onSent({ slot, kvEvents, worker }: WorkerRank, { index }: ServedModel, { count, sequence }: BlockHashes): void {
    // A worker that decodes gets its blocks from another one, and need not tell of them.
    if (kvEvents === undefined || count === 0 || worker.role === "decode") return;
    const last = 2 * (count - 1);
    if (index.isHeld(slot, sequence[last] ?? 0, sequence[last + 1] ?? 0)) return;
    const nowMs = this.#clock.now();
    const owed = this.#owed.get(slot);
    if (owed === undefined) this.#owed.set(slot, { firstMs: nowMs, lastMs: nowMs });
    else owed.lastMs = nowMs;
  }

  /**
   * How long a rank has owed an event, ms; 0 = it owes none.
   * @param heardAtMs when it was last heard
   */
  owedMs({ slot }: WorkerRank, heardAtMs: number): number {
    const owed = this.#owed.get(slot);
    if (owed === undefined) return 0;
    if (owed.lastMs <= heardAtMs) {
      this.#owed.delete(slot);
      return 0;
    }
    // Of those in between only the last is known: too late rather than too early.
    if (owed.firstMs <= heardAtMs) owed.firstMs = owed.lastMs;
    return this.#clock.now() - owed.firstMs;
  }

  /** A slot is given back. */
  forget(slot: number): void {
    this.#owed.delete(slot);
  }
}
