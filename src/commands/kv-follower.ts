import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import type { WorkerRank } from "../fleet/index.ts";
import type { PrefixIndex } from "../kv/index.ts";
import {
  type Clock,
  type KvEventCounters,
  type KvEventStatus,
  KvEventSubscriber,
  TurnBudget,
} from "../kv-events/index.ts";
import type { ServedModel } from "../router/index.ts";
import type { KvEventSample, Logger } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { EventTotals } from "./event-totals.ts";
import { IndexFanOut } from "./index-fan-out.ts";
import type { KvProblem, KvRankStatus } from "./kv-rank-status.ts";

const systemClock: Clock = { now: () => performance.now() };

/** What is followed, and what its events are written into. */
export type FollowedCore = Pick<Core, "catalogue" | "models" | "loads">;

interface Followed {
  readonly rank: WorkerRank;
  readonly subscriber: KvEventSubscriber;
  readonly totals: EventTotals;
  /** Of the first model that the rank serves; the others hold the same. */
  readonly index: PrefixIndex;
  /** Requests booked on the rank when it was last heard of. */
  bookedWhenHeard: number;
  isReportedSilent: boolean;
}

/** Follows the KV events of every rank in the catalogue, from construction to `close`. */
export class KvFollower {
  readonly #core: FollowedCore;
  readonly #options: Config["kvEvents"];
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #budget: TurnBudget;
  readonly #followed = new Map<number, Followed>();
  readonly #closing = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;
  readonly #silenceTimer: NodeJS.Timeout | undefined;

  constructor(core: FollowedCore, options: Config["kvEvents"], log: Logger, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#budget = new TurnBudget(clock);
    this.#core = core;
    this.#options = options;
    this.#log = log;
    this.#unsubscribe = core.catalogue.subscribe({
      onAdded: (rank) => this.#follow(rank),
      onRemoved: (rank) => this.#leave(rank.slot),
      onSourceChanged: (rank) => {
        this.#leave(rank.slot);
        this.#follow(rank);
      },
    });
    for (const worker of core.catalogue.workers()) for (const rank of worker.ranks) this.#follow(rank);
    if (options.silentWorkerWarnMs > 0) {
      this.#silenceTimer = setInterval(() => this.#reportSilence(), options.silentWorkerWarnMs / 4).unref();
    }
  }

  /** Ranks that are followed. */
  get size(): number {
    return this.#followed.size;
  }

  /** What came of a rank's events; undefined when it publishes none. */
  sampleOf(rank: WorkerRank): KvEventSample | undefined {
    return this.statusOf(rank);
  }

  /** How well a rank's cache is known; undefined when it publishes no events. */
  statusOf({ slot }: WorkerRank): KvRankStatus | undefined {
    const followed = this.#followed.get(slot);
    if (followed === undefined) return undefined;
    const { rank, subscriber, totals, isReportedSilent, index } = followed;
    const { isConnected, lastSequence, hasSeenEvents, silentMs } = subscriber.status;
    return {
      ...totals.sample(),
      endpoint: rank.kvEvents?.endpoint ?? "",
      isConnected,
      lastSequence,
      lastEventAgeMs: hasSeenEvents ? silentMs : undefined,
      blocks: index.blocksOf(slot),
      problems: problemsOf(subscriber.status, { isSilent: isReportedSilent, blockSize: index.blockSize }),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#silenceTimer);
    this.#unsubscribe();
    for (const slot of [...this.#followed.keys()]) this.#leave(slot);
    await Promise.all(this.#closing);
  }

  #follow(rank: WorkerRank): void {
    const { kvEvents, worker, slot } = rank;
    const models = this.#modelsOf(rank);
    const [first] = models;
    if (kvEvents === undefined || first === undefined) return;
    const totals = new EventTotals();
    const counters: KvEventCounters = { add: (counter, _slot, amount, reason) => totals.add(counter, amount, reason) };
    const subscriber = new KvEventSubscriber(
      {
        endpoint: kvEvents.endpoint,
        replayEndpoint: kvEvents.replayEndpoint,
        slot,
        blockSize: first.index.blockSize,
        onLostTrack: this.#options.onUnrepairableGap,
        replayTotalMs: this.#options.replayTimeoutMs,
        reconnectMinMs: this.#options.reconnectMinMs,
        reconnectMaxMs: this.#options.reconnectMaxMs,
        maxPendingBatches: this.#options.maxPendingBatches,
        maxBatchBytes: this.#options.maxBatchBytes,
      },
      {
        sink: models.length === 1 ? first.index : new IndexFanOut(models.map(({ index }) => index)),
        budget: this.#budget,
        counters,
        log: this.#log.child({ worker: worker.name, dpRank: rank.dpRank }),
        clock: this.#clock,
      },
    );
    subscriber.start();
    this.#followed.set(slot, {
      rank,
      subscriber,
      totals,
      index: first.index,
      bookedWhenHeard: 0,
      isReportedSilent: false,
    });
  }

  #modelsOf({ worker }: WorkerRank): readonly ServedModel[] {
    const { models } = this.#core;
    return models.values().filter(({ name }) => worker.models.length === 0 || worker.models.includes(name));
  }

  #leave(slot: number): void {
    const followed = this.#followed.get(slot);
    if (followed === undefined) return;
    this.#followed.delete(slot);
    const closed = followed.subscriber
      .close()
      .catch((err: unknown) => this.#log.warn({ err, slot }, "a KV event subscription did not close cleanly"))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  /** A worker that takes requests and publishes nothing looks like one whose cache is always empty: say so, once. */
  #reportSilence(): void {
    for (const followed of this.#followed.values()) {
      const { rank, subscriber } = followed;
      const booked = this.#core.loads.bookedRequests(rank.slot);
      const { silentMs } = subscriber.status;
      if (silentMs < this.#options.silentWorkerWarnMs) {
        followed.bookedWhenHeard = booked;
        followed.isReportedSilent = false;
      } else if (booked > followed.bookedWhenHeard && !followed.isReportedSilent) {
        followed.isReportedSilent = true;
        this.#log.warn(
          { worker: rank.worker.name, dpRank: rank.dpRank, kvEvents: rank.kvEvents?.endpoint, silentMs },
          "the worker serves requests but publishes no KV events: its cache counts as empty",
        );
      }
    }
  }
}

function problemsOf(status: KvEventStatus, seen: { isSilent: boolean; blockSize: number }): readonly KvProblem[] {
  const problems: KvProblem[] = [];
  if (seen.isSilent) {
    problems.push({ kind: "silent", message: "serves requests but publishes no KV events: its cache counts as empty" });
  }
  if (status.foreignBlockSize !== undefined) {
    const sizes = `the engine's KV blocks are of ${status.foreignBlockSize} tokens, the model's blockSize is ${seen.blockSize}`;
    problems.push({ kind: "block_size_mismatch", message: `${sizes}: its prefixes cannot be matched` });
  }
  if (status.isStale) problems.push({ kind: "stale", message: "KV events were lost: what it holds may be wrong" });
  return problems;
}
