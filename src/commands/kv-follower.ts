import { performance } from "node:perf_hooks";
import type { Config } from "../config/index.ts";
import type { WorkerRank } from "../fleet/index.ts";
import { BatchMemory, type Clock, type DumpedPoint, type IndexRecovery, TurnBudget } from "../kv-events/index.ts";
import type { ServedModel } from "../router/index.ts";
import type { KvEventSample, Logger } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";
import { FollowedRank } from "./followed-rank.ts";
import { IndexFanOut } from "./index-fan-out.ts";
import type { KvRankStatus } from "./kv-rank-status.ts";

const systemClock: Clock = { now: () => performance.now() };

/** What is followed, and what its events are written into. */
export type FollowedCore = Pick<Core, "catalogue" | "models" | "loads"> &
  Partial<Pick<Core, "newsOwed" | "sentPromptCheck">>;

/** Time between two looks for what is wrong, ms. */
const lookMs = 1_000;

/** What following takes from outside beside the core. */
export interface FollowerAids {
  readonly clock?: Clock;
  /** Where the ranks get what they held before. Absent = from their engines alone. */
  readonly recovery?: Pick<IndexRecovery, "hold"> | undefined;
}

/** Follows the KV events of every rank in the catalogue, from construction to `close`. */
export class KvFollower {
  readonly #core: FollowedCore;
  readonly #options: Config["kvEvents"];
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #budget: TurnBudget;
  readonly #memory: BatchMemory;
  readonly #followed = new Map<number, FollowedRank>();
  readonly #closing = new Set<Promise<void>>();
  readonly #unsubscribe: () => void;
  readonly #timer: NodeJS.Timeout;

  constructor(core: FollowedCore, options: Config["kvEvents"], log: Logger, aids: FollowerAids = {}) {
    const { clock = systemClock, recovery } = aids;
    this.#clock = clock;
    this.#budget = new TurnBudget(clock);
    this.#memory = new BatchMemory(options.maxPendingBytes);
    this.#core = core;
    this.#options = options;
    this.#log = log;
    this.#unsubscribe = core.catalogue.subscribe({
      onAdded: (rank) => this.#follow(rank, recovery),
      onRemoved: (rank) => this.#leave(rank.slot),
      onSourceChanged: (rank) => {
        this.#leave(rank.slot);
        this.#follow(rank, undefined);
      },
    });
    for (const worker of core.catalogue.workers()) for (const rank of worker.ranks) this.#follow(rank, recovery);
    this.#timer = setInterval(() => this.#look(), lookMs).unref();
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
    return this.#followed.get(slot)?.status;
  }

  /** How far the events of each rank of a model are applied, where that is known. */
  *pointsOf(model: string): Generator<DumpedPoint> {
    for (const { rank, point } of this.#followed.values()) {
      const { worker, dpRank } = rank;
      if (point === undefined || !(worker.models.length === 0 || worker.models.includes(model))) continue;
      yield { workerId: worker.id, dpRank, ...point };
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    for (const slot of [...this.#followed.keys()]) this.#leave(slot);
    await Promise.all(this.#closing);
  }

  #follow(rank: WorkerRank, recovery: FollowerAids["recovery"]): void {
    const { kvEvents, slot } = rank;
    const models = this.#modelsOf(rank);
    const [first] = models;
    if (kvEvents === undefined || first === undefined) return;
    const followed = new FollowedRank(rank, kvEvents.endpoint, this.#options, {
      sink: models.length === 1 ? first.index : new IndexFanOut(models.map(({ index }) => index)),
      index: first.index,
      budget: this.#budget,
      log: this.#log,
      clock: this.#clock,
      memory: this.#memory,
      recovery,
      isPresent: () => this.#core.catalogue.rankAt(slot) === rank,
    });
    this.#followed.set(slot, followed);
  }

  #modelsOf({ worker }: WorkerRank): readonly ServedModel[] {
    const { models } = this.#core;
    return models.values().filter(({ name }) => worker.models.length === 0 || worker.models.includes(name));
  }

  #leave(slot: number): void {
    const followed = this.#followed.get(slot);
    if (followed === undefined) return;
    this.#followed.delete(slot);
    this.#core.newsOwed?.forget(slot);
    this.#core.sentPromptCheck?.forget(slot);
    const closed = followed
      .close()
      .catch((err: unknown) => this.#log.warn({ err, slot }, "a KV event subscription did not close cleanly"))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
  }

  #look(): void {
    const { newsOwed, sentPromptCheck } = this.#core;
    sentPromptCheck?.look();
    for (const followed of this.#followed.values()) {
      const { rank } = followed;
      const owedMs = (heardAtMs: number) => newsOwed?.owedMs(rank, heardAtMs) ?? 0;
      followed.look(owedMs, sentPromptCheck?.unmatchedOf(rank) ?? 0, this.#clock.now());
    }
  }
}
