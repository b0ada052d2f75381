import {
  type CacheSaltLookup,
  decodeSteps,
  type EventEffect,
  type FilterReason,
  type KvEvent,
  KvEventNormalizer,
  type StorageTier,
  type StoredBlocks,
  type U64,
} from "../kv/index.ts";
import type { KvEventCounter, KvEventCounters } from "./observer.ts";
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

/** What an event does to some blocks. */
type BlockEffect = Extract<EventEffect, { kind: "store" | "remove" | "add_tier" }>;

const counterOf = {
  store: "blocks_stored",
  remove: "blocks_removed",
  add_tier: "blocks_moved",
} as const satisfies Record<BlockEffect["kind"], KvEventCounter>;

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
  #lastSentAtMs: number | undefined;

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

  /** When the engine sent the last batch, by its own clock, ms since 1970; undefined when it does not say. */
  get lastSentAtMs(): number | undefined {
    return this.#lastSentAtMs;
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
    const batch = await this.#inTurns(decodeSteps(payload));
    const sentAtMs = batch.timestamp * 1_000;
    this.#lastSentAtMs = sentAtMs > 0 && sentAtMs < Number.POSITIVE_INFINITY ? sentAtMs : undefined;
    for (const [reason, amount] of Object.entries(batch.skipped)) {
      if (amount > 0) this.#counters.add("skipped_events", this.#options.slot, amount, reason);
    }
    const slot = this.#slotOf(batch.dataParallelRank);
    if (slot === undefined) {
      this.#counters.add("unknown_rank_events", this.#options.slot, batch.events.length);
      return false;
    }
    return await this.#inTurns(this.#applyAll(this.#rankOf(slot), batch.events, isCounted));
  }

  /** Does one step after the other, and waits for a later turn of the event loop when this one's share is used up. */
  async #inTurns<T>(steps: Generator<void, T, undefined>): Promise<T> {
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

  /** A step is one event, or a slice of a long one. Returns whether the cache was cleared. */
  *#applyAll(rank: RankState, events: readonly KvEvent[], isCounted: boolean): Generator<void, boolean, undefined> {
    let hasCleared = false;
    for (const event of events) {
      const effect = rank.normalizer.normalize(event, rank.cacheSaltOf);
      if (effect.kind === "filtered") this.#onFiltered(rank.slot, event, effect.reason);
      else if (effect.kind === "clear") this.#onClear(rank.slot);
      else yield* this.#change(rank.slot, effect, isCounted);
      if (effect.kind === "clear") hasCleared = true;
      yield;
    }
    return hasCleared;
  }

  #onFiltered(slot: number, event: KvEvent, reason: FilterReason): void {
    this.#counters.add("filtered_events", slot, 1, reason);
    if (reason === "block_size_mismatch" && event.kind === "stored") this.#foreignBlockSize = event.blockSize;
  }

  #onClear(slot: number): void {
    this.#counters.add("clears", slot, 1);
    this.#sink.clear(slot);
  }

  *#change(slot: number, effect: BlockEffect, isCounted: boolean): Generator<void, void, undefined> {
    const { kind } = effect;
    const count = kind === "store" ? effect.run.count : effect.blockHashes.length >>> 1;
    this.#counters.add(counterOf[kind], slot, count);
    for (let from = 0; from < count; from += sliceBlocks) {
      if (from > 0) yield;
      const to = Math.min(count, from + sliceBlocks);
      if (kind === "store") {
        this.#foreignBlockSize = undefined;
        this.#sink.store(slot, effect.run.slice(from, to, isCounted));
        continue;
      }
      const hashes = count <= sliceBlocks ? effect.blockHashes : effect.blockHashes.subarray(2 * from, 2 * to);
      if (kind === "remove") this.#sink.remove(slot, hashes, effect.tier);
      // A copy on the device may be one that is known already.
      else if (isCounted || effect.tier !== "device") this.#sink.addTier(slot, hashes, effect.tier);
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
