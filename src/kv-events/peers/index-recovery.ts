import { setTimeout as delay } from "node:timers/promises";
import type { RestoredRank } from "../kv-event-subscriber.ts";
import type { KvEventLog } from "../observer.ts";
import { type Clock, TurnBudget } from "../turn-budget.ts";
import { DumpRestorer, type RestoreTargets } from "./dump-restorer.ts";
import { type PeerAddress, systemResolve } from "./peer-addresses.ts";
import { fetchDump, type PeerRequestOptions } from "./peer-dump.ts";
import { type DumpOutcome, type FoundDump, PeerSearch, type PeerSearchOptions } from "./peer-search.ts";

export interface IndexRecoveryOptions extends PeerRequestOptions, PeerSearchOptions {
  /** Longest time in which an index is fetched, ms; ranks that come later are not restored. */
  readonly deadlineMs: number;
  /** Longest wait for what was kept meanwhile to be applied, ms. */
  readonly catchUpMs: number;
}

/**
 * `idle`: there is nobody to restore; `seeking`: peers are asked; `restoring`: one sends its index; `catching_up`: what workers told
 * meanwhile is applied; `recovered`, `cold`: it is over, with an index or without.
 */
export type RecoveryState = "idle" | "seeking" | "restoring" | "catching_up" | "recovered" | "cold";

/** How far the start-up recovery is, or how it ended. */
export interface RecoveryStatus {
  readonly state: RecoveryState;
  /** Whose index it is. */
  readonly peer: string | undefined;
  /** Blocks that were restored, over all ranks. */
  readonly blocks: number;
  /** Time that it took, or has taken by now, ms. */
  readonly tookMs: number;
  /** Attempts to get an index, by how they ended. */
  readonly attempts: ReadonlyMap<DumpOutcome, number>;
}

/** A rank whose events are held back until it is restored. */
export interface HeldRank {
  readonly slot: number;
  /** u64. */
  readonly workerId: bigint;
  readonly dpRank: number;
  /** Whether the slot is still this rank's. */
  readonly isPresent: () => boolean;
  /** Whether its engine can be reached at present. */
  readonly isConnected: () => boolean;
  /** Resolves when what its engine told meanwhile is applied. */
  readonly caughtUp: () => Promise<void>;
}

export interface IndexRecoveryDependencies {
  readonly indexOf: RestoreTargets["indexOf"];
  readonly clock: Clock;
  readonly log: KvEventLog;
}

type Held = HeldRank & { readonly release: (restored: RestoredRank | undefined) => void };

/** Workers that are registered together are restored together: this long after the first, ms. */
const gatherMs = 200;

/** A rank whose engine was not reached by then is not waited for, ms. */
const unreachableMs = 1_000;

/**
 * Fetches from a peer what the workers hold: once at the start, and again for workers that are registered soon after. Their ranks
 * are held back meanwhile. It ends in any case, at the latest at its deadline, and then each rank begins with what its engine replays.
 */
export class IndexRecovery {
  readonly #options: IndexRecoveryOptions;
  readonly #dependencies: IndexRecoveryDependencies;
  readonly #budget: TurnBudget;
  readonly #startedAt: number;
  readonly #closing = new AbortController();
  readonly #attempts = new Map<DumpOutcome, number>();
  readonly #held = new Set<Held>();
  #state: RecoveryState = "idle";
  #peer: string | undefined;
  #blocks = 0;
  #tookMs: number | undefined;
  /** The rounds, one after the other; undefined before the first. */
  #rounds: Promise<void> | undefined;
  #isGathering = false;
  #wasCaughtUp = false;

  constructor(options: IndexRecoveryOptions, dependencies: IndexRecoveryDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#budget = new TurnBudget(dependencies.clock);
    this.#startedAt = dependencies.clock.now();
  }

  get status(): RecoveryStatus {
    const tookMs = this.#tookMs ?? this.#elapsedMs();
    return { state: this.#state, peer: this.#peer, blocks: this.#blocks, tookMs, attempts: this.#attempts };
  }

  /** Whether all that is to be had is had. Once that was so with any rank, it stays so. */
  get isCaughtUp(): boolean {
    return this.#wasCaughtUp || (this.#rounds !== undefined && this.#held.size === 0 && !this.#isUnderWay);
  }

  /** Asks for a rank to be restored. Returns when it may go on, with what is known of it; undefined = it is too late for that. */
  hold(rank: HeldRank): Promise<RestoredRank | undefined> | undefined {
    if (this.#leftMs() <= 0 || this.#closing.signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<RestoredRank | undefined>();
    this.#held.add({ ...rank, release: resolve });
    if (this.#rounds !== undefined) this.#gather();
    return promise;
  }

  /** Restores the ranks that are held by now. Resolves when they have caught up, or as far as they can. Never rejects. */
  start(): Promise<void> {
    this.#rounds = this.#round();
    return this.#rounds;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const rank of this.#held) rank.release(undefined);
    await this.#rounds;
  }

  get #isUnderWay(): boolean {
    return this.#state === "seeking" || this.#state === "restoring" || this.#state === "catching_up";
  }

  #elapsedMs(): number {
    return this.#dependencies.clock.now() - this.#startedAt;
  }

  #leftMs(): number {
    return this.#options.deadlineMs - this.#elapsedMs();
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const { signal } = this.#closing;
    const gathered = delay(gatherMs, undefined, { signal }).catch(() => undefined);
    this.#rounds = Promise.all([this.#rounds, gathered]).then(() => {
      this.#isGathering = false;
      return this.#round();
    });
  }

  async #round(): Promise<void> {
    const ranks = [...this.#held];
    if (ranks.length === 0 || this.#closing.signal.aborted) return;
    this.#state = "seeking";
    const found = await this.#search(ranks);
    const points = found?.dump.points();
    for (const rank of ranks) {
      this.#held.delete(rank);
      rank.release(found && { point: points?.get(rank.slot) });
    }
    this.#blocks += found?.dump.blocks ?? 0;
    this.#peer = found?.address.url.href ?? this.#peer;
    this.#state = "catching_up";
    await this.#catchUp(ranks);
    this.#end(found, ranks);
  }

  /** Never rejects: what goes wrong here must not stop the start. */
  async #search(ranks: readonly Held[]): Promise<FoundDump<DumpRestorer> | undefined> {
    const { signal: closing } = this.#closing;
    const deadline = AbortSignal.timeout(Math.max(1, Math.ceil(this.#leftMs())));
    const search = new PeerSearch(this.#options, {
      ...this.#dependencies,
      resolve: systemResolve,
      attempted: (outcome) => this.#attempts.set(outcome, (this.#attempts.get(outcome) ?? 0) + 1),
    });
    const take = (address: PeerAddress, signal: AbortSignal) => this.#take(ranks, address, signal);
    try {
      return await search.run(take, () => this.#leftMs(), AbortSignal.any([closing, deadline]));
    } catch (err) {
      if (!closing.aborted && !deadline.aborted) this.#dependencies.log.warn({ err }, "fetching a peer's index failed");
      return undefined;
    }
  }

  async #take(ranks: readonly Held[], address: PeerAddress, signal: AbortSignal): Promise<DumpRestorer> {
    const restorer = new DumpRestorer(targetsOf(ranks, this.#dependencies.indexOf), this.#budget);
    try {
      await restorer.restore(this.#received(fetchDump(address, this.#options, signal)));
      return restorer;
    } catch (error) {
      restorer.undo();
      throw error;
    } finally {
      this.#state = "seeking";
    }
  }

  async *#received(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const part of parts) {
      this.#state = "restoring";
      yield part;
    }
  }

  async #catchUp(ranks: readonly Held[]): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#closing.signal]);
    const after = (ms: number) => delay(ms, undefined, { signal }).catch(() => undefined);
    const all = ranks.map(async (rank) => {
      const caughtUp = rank.caughtUp();
      await Promise.race([caughtUp, after(unreachableMs)]);
      if (rank.isConnected()) await caughtUp;
    });
    await Promise.race([Promise.all(all), after(this.#options.catchUpMs)]);
    over.abort();
  }

  #end(found: FoundDump<DumpRestorer> | undefined, ranks: readonly Held[]): void {
    this.#state = found === undefined && this.#peer === undefined ? "cold" : "recovered";
    this.#tookMs = this.#elapsedMs();
    this.#wasCaughtUp ||= this.#held.size === 0;
    if (this.#closing.signal.aborted) return;
    const { log } = this.#dependencies;
    const fields = {
      ranks: ranks.length,
      tookMs: Math.round(this.#tookMs),
      attempts: Object.fromEntries(this.#attempts),
    };
    if (found === undefined) {
      log.warn(fields, "no peer gave its index: it begins with what the workers replay");
      return;
    }
    const { address, dump } = found;
    const from = { peer: address.url.href, address: address.host };
    log.info({ ...from, ...dump.counts, ...fields }, "the index was fetched from a peer");
    if (dump.counts.mismatchedGroups.length > 0) {
      log.warn(
        { ...from, groups: dump.counts.mismatchedGroups },
        "models of the peer's index have another block size here",
      );
    }
  }
}

function targetsOf(ranks: readonly Held[], indexOf: RestoreTargets["indexOf"]): RestoreTargets {
  const byRank = new Map(ranks.map((rank) => [`${rank.workerId} ${rank.dpRank}`, rank]));
  return {
    indexOf,
    slotOf: (workerId, dpRank) => {
      const rank = byRank.get(`${workerId} ${dpRank}`);
      return rank?.isPresent() === true ? rank.slot : undefined;
    },
  };
}
