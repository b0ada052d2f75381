import {
  type CacheSaltLookup,
  type DecodedBatch,
  decodeSteps,
  type EventEffect,
  type FilteredEvent,
  type KvEvent,
  KvEventNormalizer,
  type StorageTier,
  type StoredBlocks,
  type U64,
} from "../kv/index.ts";
import type { KvEventCounters } from "./observer.ts";
import type { TurnBudget } from "./turn-budget.ts";

/** Where the changes go: a `PrefixIndex`. */
export interface KvEventSink {
  store(slot: number, blocks: StoredBlocks): void;
  remove(slot: number, blockHashes: Uint32Array, tier?: StorageTier): void;
  /** One more tier, or one more copy, of blocks of which nothing but the engine's hashes is told. */
  addTier(slot: number, blockHashes: Uint32Array, tier: StorageTier): void;
  /** Forgets what the slot holds; takes no time. */
  clear(slot: number): void;
  cacheSaltOf(slot: number, hash: U64): string | undefined;
  blocksOf(slot: number): number;
}

export interface EventApplierOptions {
  /** Slot of the rank whose stream it is. */
  readonly slot: number;
  /** Slot of another data-parallel rank that this stream also speaks of; absent = all events are of `slot`. */
  readonly slotOfRank?: ((dataParallelRank: number) => number | undefined) | undefined;
  /** Tokens in a block of the index. */
  readonly blockSize: number;
}

interface RankState {
  readonly slot: number;
  readonly normalizer: KvEventNormalizer;
  readonly cacheSaltOf: CacheSaltLookup;
}

/** Most blocks of one uninterrupted step: a fraction of a ms. */
const sliceBlocks = 1_024;

/**
 * Applies batches of one stream to the index, a slice of the event loop at a time. Calls must not overlap. Once the signal
 * is aborted nothing is changed any more, not even in the middle of a batch, since the slot may then be another rank's:
 * calls that are under way reject with the signal's reason.
 */
export class EventApplier {
  readonly #options: EventApplierOptions;
  readonly #sinkUntilClosed: KvEventSink;
  readonly #signal: AbortSignal;
  readonly #budget: TurnBudget;
  readonly #counters: KvEventCounters;
  readonly #ranks = new Map<number, RankState>();
  #foreignBlockSize: number | undefined;

  constructor(
    options: EventApplierOptions,
    outputs: {
      readonly sink: KvEventSink;
      readonly budget: TurnBudget;
      readonly counters: KvEventCounters;
    },
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#signal = signal;
    this.#sinkUntilClosed = outputs.sink;
    this.#budget = outputs.budget;
    this.#counters = outputs.counters;
  }

  get #sink(): KvEventSink {
    this.#signal.throwIfAborted();
    return this.#sinkUntilClosed;
  }

  /** Whether anything is held of the rank. */
  get hasBlocks(): boolean {
    return this.#sinkUntilClosed.blocksOf(this.#options.slot) > 0;
  }

  /** Block size of the engine's last store when it does not fit. */
  get foreignBlockSize(): number | undefined {
    return this.#foreignBlockSize;
  }

  /**
   * Applies one batch. Returns whether it cleared the cache, so that nothing before it matters any more. Throws
   * KvEventDecodeError, before any change, when the payload is none.
   * @param isCounted false when its stores may be known already: then they are no further copies
   */
  async apply(payload: Buffer, isCounted: boolean): Promise<boolean> {
    const batch = await this.#decode(payload);
    for (const [reason, amount] of Object.entries(batch.skipped)) {
      if (amount > 0) this.#counters.add("skipped_events", this.#options.slot, amount, reason);
    }
    const slot = this.#slotOf(batch.dataParallelRank);
    if (slot === undefined) {
      this.#counters.add("unknown_rank_events", this.#options.slot, batch.events.length);
      return false;
    }
    const rank = this.#rankOf(slot);
    let hasCleared = false;
    for (const event of batch.events) {
      if (await this.#applyEvent(rank, event, isCounted)) hasCleared = true;
    }
    return hasCleared;
  }

  async #decode(payload: Buffer): Promise<DecodedBatch> {
    const steps = decodeSteps(payload);
    for (;;) {
      if (this.#budget.isSpent) await this.#budget.nextTurn();
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** Forgets everything that this stream has told. */
  clear(): void {
    this.#sink.clear(this.#options.slot);
    for (const slot of this.#ranks.keys()) this.#sink.clear(slot);
    this.#ranks.clear();
  }

  async #applyEvent(rank: RankState, event: KvEvent, isCounted: boolean): Promise<boolean> {
    if (this.#budget.isSpent) await this.#budget.nextTurn();
    const effect = rank.normalizer.normalize(event, rank.cacheSaltOf);
    if (effect.kind === "filtered") {
      this.#counters.add("filtered_events", rank.slot, 1, effect.reason);
      if (effect.reason === "block_size_mismatch" && event.kind === "stored") this.#foreignBlockSize = event.blockSize;
      return false;
    }
    if (effect.kind === "store") this.#foreignBlockSize = undefined;
    await this.#change(rank.slot, effect, isCounted);
    return effect.kind === "clear";
  }

  async #change(slot: number, effect: Exclude<EventEffect, FilteredEvent>, isCounted: boolean): Promise<void> {
    if (effect.kind === "clear") {
      this.#counters.add("clears", slot, 1);
      this.#sink.clear(slot);
    } else if (effect.kind === "store") {
      this.#counters.add("blocks_stored", slot, effect.run.count);
      await this.#inSlices(effect.run.count, (from, to) => {
        this.#sink.store(slot, { ...effect.run.slice(from, to), isCounted });
      });
    } else {
      const { kind, blockHashes, tier } = effect;
      const count = blockHashes.length >>> 1;
      this.#counters.add(kind === "remove" ? "blocks_removed" : "blocks_moved", slot, count);
      await this.#inSlices(count, (from, to) => {
        const slice = blockHashes.subarray(2 * from, 2 * to);
        if (kind === "remove") this.#sink.remove(slot, slice, tier);
        else if (isCounted || tier !== "device") this.#sink.addTier(slot, slice, tier);
      });
    }
  }

  async #inSlices(count: number, apply: (from: number, to: number) => void): Promise<void> {
    for (let from = 0; from < count; from += sliceBlocks) {
      if (from > 0 && this.#budget.isSpent) await this.#budget.nextTurn();
      apply(from, Math.min(count, from + sliceBlocks));
    }
  }

  #slotOf(dataParallelRank: number | undefined): number | undefined {
    const { slot, slotOfRank } = this.#options;
    return dataParallelRank === undefined || slotOfRank === undefined ? slot : slotOfRank(dataParallelRank);
  }

  #rankOf(slot: number): RankState {
    let rank = this.#ranks.get(slot);
    if (rank === undefined) {
      rank = {
        slot,
        normalizer: new KvEventNormalizer(this.#options.blockSize),
        cacheSaltOf: (hash) => this.#sink.cacheSaltOf(slot, hash),
      };
      this.#ranks.set(slot, rank);
    }
    return rank;
  }
}
