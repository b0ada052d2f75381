import type { WorkerRank } from "../fleet/index.ts";
import type { BlockHashes, GuessLifetime, PrefixIndex } from "../kv/index.ts";
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

/** Blocks learnt at once: about a millisecond. */
const sliceBlocks = 1024;

/** What is left to learn of a long prompt. */
interface Rest {
  readonly rank: WorkerRank;
  readonly index: PrefixIndex;
  readonly hashes: BlockHashes;
  /** Leading blocks that are learnt. */
  learnt: number;
}

export interface PromptLearnerParts {
  readonly clock: Clock;
  /** Whether a rank is still the one of its slot. */
  readonly isPresent: (rank: WorkerRank) => boolean;
  /** Calls back in a later turn of the event loop. */
  readonly later: (callback: () => void) => void;
}

/** Lets the models' guesses learn from what is sent to ranks: the beginning of a prompt at once, more of a long one in later turns. */
export class PromptLearner implements SentPrompts {
  readonly #options: PromptLearnerOptions;
  readonly #parts: PromptLearnerParts;
  readonly #rests: Rest[] = [];

  constructor(options: PromptLearnerOptions, parts: PromptLearnerParts) {
    this.#options = options;
    this.#parts = parts;
  }

  onSent(rank: WorkerRank, { index }: ServedModel, hashes: BlockHashes): void {
    if (index.guesses === undefined || this.#lifetimeFor(rank).ttlMs === 0) return;
    const rest = { rank, index, hashes, learnt: 0 };
    if (this.#learn(rest)) return;
    this.#rests.push(rest);
    if (this.#rests.length === 1) this.#parts.later(() => this.#goOn());
  }

  /** A slice of the oldest rest. */
  #goOn(): void {
    const [rest] = this.#rests;
    if (rest === undefined) return;
    if (!this.#parts.isPresent(rest.rank) || this.#learn(rest)) this.#rests.shift();
    if (this.#rests.length > 0) this.#parts.later(() => this.#goOn());
  }

  /** Learns a slice more; true when nothing is left. What is learnt already costs next to nothing. */
  #learn(rest: Rest): boolean {
    const { rank, index, hashes } = rest;
    rest.learnt = Math.min(rest.learnt + sliceBlocks, hashes.count);
    const known = { ...hashes, count: rest.learnt };
    index.guesses?.learn(rank.slot, known, this.#parts.clock.now(), this.#lifetimeFor(rank));
    return rest.learnt === hashes.count;
  }

  #lifetimeFor({ kvEvents, worker }: WorkerRank): GuessLifetime {
    const { ttlMs, maxBlocksPerRank, predictedTtlMs } = this.#options;
    if (kvEvents !== undefined) return { ttlMs: predictedTtlMs };
    return { ttlMs, maxBlocks: maxBlocksPerRank || worker.totalKvBlocks };
  }
}
