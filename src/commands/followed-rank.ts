import type { Config } from "../config/index.ts";
import type { WorkerRank } from "../fleet/index.ts";
import type { PrefixIndex } from "../kv/index.ts";
import {
  type BatchMemory,
  type Clock,
  type IndexRecovery,
  type KvEventCounters,
  type KvEventSink,
  KvEventSubscriber,
  type StreamPoint,
  type TurnBudget,
} from "../kv-events/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { EventTotals } from "./event-totals.ts";
import { KvAlarms } from "./kv-alarms.ts";
import type { KvRankStatus } from "./kv-rank-status.ts";

export interface FollowedRankDependencies {
  readonly sink: KvEventSink;
  /** Of the first model that the rank serves; the others hold the same. */
  readonly index: PrefixIndex;
  readonly budget: TurnBudget;
  readonly log: Logger;
  readonly clock: Clock;
  readonly memory: BatchMemory;
  /** What the rank held before comes from a peer; undefined = from its engine alone. */
  readonly recovery: Pick<IndexRecovery, "hold"> | undefined;
  /** Whether the rank is still the one of its slot. */
  readonly isPresent: () => boolean;
}

/** One rank whose KV events are followed, and what is known of how well that goes. */
export class FollowedRank {
  readonly rank: WorkerRank;
  readonly #endpoint: string;
  readonly #index: PrefixIndex;
  readonly #subscriber: KvEventSubscriber;
  readonly #totals = new EventTotals();
  readonly #alarms: KvAlarms;
  readonly #silentWarnMs: number;
  readonly #quietCheckMs: number;

  /** Begins to follow. Throws when the address is none. */
  constructor(rank: WorkerRank, endpoint: string, options: Config["kvEvents"], dependencies: FollowedRankDependencies) {
    this.rank = rank;
    this.#endpoint = endpoint;
    this.#index = dependencies.index;
    this.#silentWarnMs = options.silentWorkerWarnMs;
    this.#quietCheckMs = options.quietCheckMs;
    const log = dependencies.log.child({ worker: rank.worker.name, dpRank: rank.dpRank, kvEvents: endpoint });
    this.#alarms = new KvAlarms(log);
    const counters: KvEventCounters = {
      add: (counter, _slot, amount, reason) => this.#totals.add(counter, amount, reason),
    };
    this.#subscriber = new KvEventSubscriber(
      {
        endpoint,
        replayEndpoint: rank.kvEvents?.replayEndpoint,
        slot: rank.slot,
        slotOfRank: (dpRank) => slotOf(rank, dpRank),
        blockSize: dependencies.index.blockSize,
        onLostTrack: options.onUnrepairableGap,
        replayTotalMs: options.replayTimeoutMs,
        reconnectMinMs: options.reconnectMinMs,
        reconnectMaxMs: options.reconnectMaxMs,
        maxPendingBatches: options.maxPendingBatches,
        maxBatchBytes: options.maxBatchBytes,
      },
      { ...dependencies, counters, log, restored: this.#held(dependencies) },
    );
    this.#subscriber.start();
  }

  /** How far its events are applied; undefined = nothing is known. */
  get point(): StreamPoint | undefined {
    return this.#subscriber.point;
  }

  get status(): KvRankStatus {
    const { isConnected, lastSequence, hasSeenEvents, silentMs, lastSentAtMs } = this.#subscriber.status;
    return {
      ...this.#totals.sample(),
      endpoint: this.#endpoint,
      isConnected,
      lastSequence,
      lastEventAgeMs: hasSeenEvents ? silentMs : undefined,
      lastSentAtMs,
      blocks: this.#index.blocksOf(this.rank.slot),
      problems: this.#alarms.problems,
    };
  }

  /**
   * Looks for what is wrong.
   * @param owedMs how long it has owed an event when it was last heard at a time
   * @param unmatchedPrompts how many prompts in a row that were sent to it did not turn up in its cache
   */
  look(owedMs: (heardAtMs: number) => number, unmatchedPrompts: number, nowMs: number): void {
    if (this.#quietCheckMs > 0) this.#subscriber.checkQuiet(this.#quietCheckMs);
    const { status } = this.#subscriber;
    const silentForMs = owedMs(nowMs - status.silentMs);
    this.#alarms.look(
      {
        status,
        isSilent: this.#silentWarnMs > 0 && silentForMs >= this.#silentWarnMs,
        blocks: this.#index.blocksOf(this.rank.slot),
        blockSize: this.#index.blockSize,
        conflicts: this.#index.conflictsOf(this.rank.slot),
        unmatchedPrompts,
      },
      nowMs,
    );
  }

  #held({ recovery, isPresent }: FollowedRankDependencies): ReturnType<IndexRecovery["hold"]> {
    const { slot, dpRank, worker } = this.rank;
    return recovery?.hold({
      slot,
      workerId: worker.id,
      dpRank,
      isPresent,
      isConnected: () => this.#subscriber.status.isConnected,
      caughtUp: () => this.#subscriber.caughtUp,
    });
  }

  close(): Promise<void> {
    return this.#subscriber.close();
  }
}

/**
 * Slot of a rank that a batch names. A worker of one rank may be one of many that an engine counts as its ranks: what it publishes
 * is its own.
 */
function slotOf(rank: WorkerRank, dpRank: number): number | undefined {
  const { ranks } = rank.worker;
  return ranks.length === 1 ? rank.slot : ranks.find((other) => other.dpRank === dpRank)?.slot;
}
