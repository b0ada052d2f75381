import type { BusyThresholds, RankLoad } from "./admission/thresholds.ts";
import { isBusy, isLimiting } from "./admission/thresholds.ts";
import type { LoadTable } from "./load-table.ts";
import { SiblingLoads } from "./sibling-loads.ts";

/** What an engine told of itself. */
export interface EngineReport {
  readonly runningRequests: number | undefined;
  readonly waitingRequests: number | undefined;
  /** In [0,1]. */
  readonly kvUsage: number | undefined;
  /** Its own blocks or pages. */
  readonly totalKvBlocks: number | undefined;
  /** Tokens in one of them. */
  readonly blockTokens: number | undefined;
}

/** What is known of a rank without its engine. */
export interface RankSize {
  /** Blocks of the model's size that it can hold; undefined = not known. */
  readonly totalKvBlocks: number | undefined;
  /** Tokens in a block, as the router counts. */
  readonly blockSize: number;
}

/** How engines' reports count. */
export interface EngineReportOptions {
  /** Reports that are older no longer keep requests back; they still count in the cost. In ms. Default 5 000. */
  readonly staleAfterMs?: number;
  /** Prompt length that is assumed of a waiting request that did not come through here, in tokens. Default 1 024. */
  readonly waitingRequestTokens?: number;
}

/** Load of a rank that did not come through this picker, nor through its replicas. */
export interface ForeignLoad extends RankLoad {
  /** Blocks of the router's size on the rank, as its engine says. */
  readonly totalKvBlocks: number | undefined;
  readonly waitingRequests: number;
  /** When it was told, in ms of the clock. */
  readonly atMs: number;
}

/** Tells the time. */
export interface LoadClock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
}

/**
 * Who is busy, by all that is known: what was booked here, what other replicas of the picker have booked, and what the engines
 * report beyond both. The last report stands until the next, for the cost; a stale one never makes a rank too busy
 * (llm-d-router#2100).
 */
export class LoadView {
  readonly #loads: LoadTable;
  readonly #clock: LoadClock;
  readonly #options: Required<EngineReportOptions>;
  readonly #thresholds: BusyThresholds | undefined;
  readonly #foreign: (ForeignLoad | undefined)[] = [];
  readonly #reports: (EngineReport | undefined)[] = [];
  readonly #siblings: SiblingLoads;

  /** @param siblings what other replicas have booked; default: there are none */
  constructor(
    loads: LoadTable,
    thresholds: BusyThresholds,
    clock: LoadClock,
    { staleAfterMs = 5_000, waitingRequestTokens = 1_024 }: EngineReportOptions = {},
    siblings: SiblingLoads = new SiblingLoads(),
  ) {
    this.#loads = loads;
    this.#siblings = siblings;
    this.#thresholds = isLimiting(thresholds) ? thresholds : undefined;
    this.#clock = clock;
    this.#options = { staleAfterMs, waitingRequestTokens };
  }

  /** All load of a slot that is known, and what other replicas are likely booking there at this moment. */
  loadOn(slot: number): RankLoad {
    const siblings = this.#siblings.likelyOn(slot);
    const foreign = this.#foreign[slot];
    return {
      prefillTokens: this.#loads.activePrefillTokens(slot) + siblings.prefillTokens + (foreign?.prefillTokens ?? 0),
      decodeBlocks: this.#loads.activeDecodeBlocks(slot) + siblings.decodeBlocks + (foreign?.decodeBlocks ?? 0),
      requests: this.#loads.activeRequests(slot) + siblings.requests + (foreign?.requests ?? 0),
    };
  }

  /** What all replicas have booked, this one's among it. */
  booked(slot: number): RankLoad {
    const siblings = this.#siblings.on(slot);
    return {
      requests: this.#loads.activeRequests(slot) + siblings.requests,
      prefillTokens: this.#loads.activePrefillTokens(slot) + siblings.prefillTokens,
      decodeBlocks: this.#loads.activeDecodeBlocks(slot) + siblings.decodeBlocks,
    };
  }

  /** Of that, what the other replicas have booked. */
  siblingLoad(slot: number): RankLoad {
    return this.#siblings.on(slot);
  }

  /** As `LoadTable.blocksNotActive`: what runs elsewhere shares nothing that is known. */
  blocksNotActive(slot: number, sequence: Uint32Array, count: number): number {
    return this.#loads.blocksNotActive(slot, sequence, count);
  }

  /** What the engine last reported beyond our bookings; undefined = it reported nothing. */
  foreignLoad(slot: number): ForeignLoad | undefined {
    return this.#foreign[slot];
  }

  /** What the engine last reported; undefined = it reported nothing. */
  reportOf(slot: number): EngineReport | undefined {
    return this.#reports[slot];
  }

  /** Age of the last report, in ms. */
  reportAgeMs({ atMs }: ForeignLoad): number {
    return this.#clock.now() - atMs;
  }

  /** @param totalKvBlocks as configured; undefined = what the engine reports, if it does */
  isTooBusy(slot: number, totalKvBlocks: number | undefined): boolean {
    if (this.#thresholds === undefined) return false;
    const foreign = this.#foreign[slot];
    const isFresh = foreign !== undefined && this.reportAgeMs(foreign) <= this.#options.staleAfterMs;
    const booked = this.booked(slot);
    const load = {
      prefillTokens: booked.prefillTokens + (isFresh ? foreign.prefillTokens : 0),
      decodeBlocks: booked.decodeBlocks + (isFresh ? foreign.decodeBlocks : 0),
      requests: booked.requests + (isFresh ? foreign.requests : 0),
    };
    return isBusy(load, totalKvBlocks ?? foreign?.totalKvBlocks, this.#thresholds);
  }

  /**
   * An engine told its figures: what they exceed all replicas' bookings by is load of others. A figure that it leaves out
   * counts as 0.
   * @param size stands in for what the engine does not say
   */
  reported(slot: number, report: EngineReport, size: RankSize): void {
    const { runningRequests = 0, waitingRequests = 0, kvUsage = 0 } = report;
    const reportedBlocks = blocksOf(report, size.blockSize);
    const usedBlocks = Math.round(kvUsage * (reportedBlocks ?? size.totalKvBlocks ?? 0));
    const booked = this.booked(slot);
    const requests = Math.max(0, runningRequests + waitingRequests - booked.requests);
    const waiting = Math.min(waitingRequests, requests);
    while (this.#foreign.length < slot) this.#foreign.push(undefined);
    while (this.#reports.length < slot) this.#reports.push(undefined);
    this.#reports[slot] = report;
    this.#foreign[slot] = {
      requests,
      waitingRequests: waiting,
      prefillTokens: waiting * this.#options.waitingRequestTokens,
      decodeBlocks: Math.max(0, usedBlocks - booked.decodeBlocks),
      totalKvBlocks: reportedBlocks,
      atMs: this.#clock.now(),
    };
  }

  /** Forgets what was reported of a rank that went away. */
  removeSlot(slot: number): void {
    this.#foreign[slot] = undefined;
    this.#reports[slot] = undefined;
  }
}

/** An engine's blocks in blocks of the router's size: SGLang's pages are often single tokens. */
function blocksOf({ totalKvBlocks, blockTokens }: EngineReport, blockSize: number): number | undefined {
  return totalKvBlocks === undefined ? undefined : (totalKvBlocks * (blockTokens ?? blockSize)) / blockSize;
}
