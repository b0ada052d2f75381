import type { WorkerRank } from "../fleet/index.ts";
import type { BlockHashes, GuessLifetime } from "../kv/index.ts";
import type { Clock } from "../kv-events/index.ts";
import type { SentPrompts, ServedModel } from "../router/index.ts";

export interface PromptLearnerOptions {
  /** How long a guess holds for a rank that publishes no KV events, ms; 0 = nothing is guessed of it. */
  readonly ttlMs: number;
  /** Most blocks guessed of such a rank; 0 = what its worker is said to hold. */
  readonly maxBlocksPerRank: number;
  /** How long a rank that does publish events is believed before they come, ms; 0 = it is not. */
  readonly predictedTtlMs: number;
}

/** Lets the models' guesses learn from what is sent to ranks. */
export class PromptLearner implements SentPrompts {
  readonly #options: PromptLearnerOptions;
  readonly #clock: Clock;

  constructor(options: PromptLearnerOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  onSent(rank: WorkerRank, { index }: ServedModel, hashes: BlockHashes): void {
    const lifetime = this.#lifetimeFor(rank);
    if (lifetime.ttlMs > 0) index.guesses?.learn(rank.slot, hashes, this.#clock.now(), lifetime);
  }

  #lifetimeFor({ kvEvents, worker }: WorkerRank): GuessLifetime {
    const { ttlMs, maxBlocksPerRank, predictedTtlMs } = this.#options;
    if (kvEvents !== undefined) return { ttlMs: predictedTtlMs };
    return { ttlMs, maxBlocks: maxBlocksPerRank || worker.totalKvBlocks };
  }
}
