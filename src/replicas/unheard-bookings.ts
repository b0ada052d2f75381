import type { LoadTable, RankLoad, SiblingLoads } from "../load/index.ts";

const none: RankLoad = { requests: 0, prefillTokens: 0, decodeBlocks: 0 };

/** Messages that are waited for at one time; of more the oldest count as come back. */
const maxWaiting = 64;

/** What a message told of this replica's own load. */
interface Told {
  readonly number: number;
  readonly loads: readonly (readonly [slot: number, load: RankLoad])[];
}

/**
 * Guesses what siblings are booking while word of it is on its way. In a burst all replicas look at the same figures and would
 * choose the same worker. What this replica has booked and has not yet heard itself tell, siblings do not know either; what they have
 * booked in that time is taken to be alike, so each booking stands for one at each sibling as well, until it comes back. Where
 * siblings have little to do it stands for less.
 */
export class UnheardBookings {
  readonly #loads: LoadTable;
  readonly #siblings: SiblingLoads;
  /** Own totals by slot, in what came back last. */
  readonly #known: (RankLoad | undefined)[] = [];
  #knownRequests = 0;
  readonly #waiting: Told[] = [];

  constructor(loads: LoadTable, siblings: SiblingLoads) {
    this.#loads = loads;
    this.#siblings = siblings;
  }

  /** Own totals were told to siblings. @param number of the message */
  told(number: number, loads: Told["loads"]): void {
    this.#waiting.push({ number, loads });
    if (this.#waiting.length > maxWaiting) this.#settleFirst();
  }

  /** A message came back, and with it all before it. */
  cameBack(number: number): void {
    while ((this.#waiting[0]?.number ?? Number.POSITIVE_INFINITY) <= number) this.#settleFirst();
  }

  removeSlot(slot: number): void {
    this.#know(slot, undefined);
  }

  /** The guess for a slot. O(1). @param siblingCount replicas that are heard */
  on(slot: number, siblingCount: number): RankLoad {
    const known = this.#known[slot] ?? none;
    const requests = this.#loads.activeRequests(slot) - known.requests;
    const prefillTokens = this.#loads.activePrefillTokens(slot) - known.prefillTokens;
    const decodeBlocks = this.#loads.activeDecodeBlocks(slot) - known.decodeBlocks;
    if (siblingCount === 0 || (requests <= 0 && prefillTokens <= 0 && decodeBlocks <= 0)) return none;
    const ratio = this.#siblingsPerOwn(siblingCount);
    return {
      requests: Math.round(ratio * Math.max(0, requests)),
      prefillTokens: Math.round(ratio * Math.max(0, prefillTokens)),
      decodeBlocks: Math.round(ratio * Math.max(0, decodeBlocks)),
    };
  }

  /** Bookings of siblings for each own one, by what is known to run: one each at most, and that where nothing runs. */
  #siblingsPerOwn(siblingCount: number): number {
    return Math.min(siblingCount, (this.#siblings.requests + siblingCount) / (this.#knownRequests + 1));
  }

  #settleFirst(): void {
    for (const [slot, load] of this.#waiting.shift()?.loads ?? []) this.#know(slot, load);
  }

  #know(slot: number, load: RankLoad | undefined): void {
    while (this.#known.length < slot) this.#known.push(undefined);
    this.#knownRequests += (load?.requests ?? 0) - (this.#known[slot]?.requests ?? 0);
    this.#known[slot] = load;
  }
}
