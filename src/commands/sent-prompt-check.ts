import type { WorkerRank } from "../fleet/index.ts";
import type { BlockHashes, PrefixIndex } from "../kv/index.ts";
import type { Clock } from "../kv-events/index.ts";
import type { SentPrompts, ServedModel } from "../router/index.ts";

interface Sample {
  readonly rank: WorkerRank;
  readonly index: PrefixIndex;
  readonly low: number;
  readonly high: number;
  readonly sentAtMs: number;
}

/**
 * Takes a sample of the prompts that are sent to each rank with KV events, one at a time, and looks some time later whether its
 * first block has turned up in the rank's cache. Never doing so is how a worker looks whose tokens are not ours.
 */
export class SentPromptCheck implements SentPrompts {
  readonly #afterMs: number;
  readonly #clock: Clock;
  readonly #samples = new Map<number, Sample>();
  readonly #unmatched = new Map<number, number>();

  /** @param afterMs time in which a prompt is computed and told of, ms; 0 = nothing is looked at */
  constructor(afterMs: number, clock: Clock) {
    this.#afterMs = afterMs;
    this.#clock = clock;
  }

  onSent(rank: WorkerRank, { index }: ServedModel, hashes: BlockHashes): void {
    const { slot, kvEvents, worker } = rank;
    if (this.#afterMs === 0 || kvEvents === undefined || hashes.count === 0 || this.#samples.has(slot)) return;
    // A worker that decodes gets its blocks from another one, and need not tell of them.
    if (worker.role === "decode") return;
    const [low = 0, high = 0] = hashes.sequence;
    this.#samples.set(slot, { rank, index, low, high, sentAtMs: this.#clock.now() });
  }

  /** Prompts in a row that have not turned up in the rank's cache. */
  unmatchedOf({ slot }: WorkerRank): number {
    return this.#unmatched.get(slot) ?? 0;
  }

  /** Looks at the samples whose time has come. */
  look(): void {
    for (const [slot, { rank, index, low, high, sentAtMs }] of this.#samples) {
      if (this.#clock.now() - sentAtMs < this.#afterMs) continue;
      this.#samples.delete(slot);
      this.#unmatched.set(slot, index.isHeld(slot, low, high) ? 0 : this.unmatchedOf(rank) + 1);
    }
  }

  /** A slot is given back. */
  forget(slot: number): void {
    this.#samples.delete(slot);
    this.#unmatched.delete(slot);
  }
}
