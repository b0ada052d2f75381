import type { Catalogue, Worker } from "../fleet/index.ts";
import type { Reservation } from "../load/index.ts";
import type { SessionUse } from "../pick/index.ts";
import type { RouteReservation } from "./route-decision.ts";
import type { PhaseChoice } from "./selection.ts";

/** What was booked for one request. */
export interface Bookings {
  /** On the worker that answers. */
  readonly main: Reservation;
  /** On the worker that prefills, when that is another. */
  readonly prefill: Reservation | undefined;
  readonly session: SessionUse | undefined;
}

/** The bookings of one routed request, on the worker that answers and, when split, on the one that prefills. */
export class BookedReservation implements RouteReservation {
  readonly #catalogue: Catalogue;
  readonly #chosen: PhaseChoice;
  readonly #main: Reservation;
  readonly #prefill: Reservation | undefined;
  readonly #session: SessionUse | undefined;

  /** @param chosen the choice of the worker that answers, as it was when it was made */
  constructor(catalogue: Catalogue, chosen: PhaseChoice, { main, prefill, session }: Bookings) {
    this.#catalogue = catalogue;
    this.#chosen = chosen;
    this.#main = main;
    this.#prefill = prefill;
    this.#session = session;
  }

  get isHeld(): boolean {
    return this.#main.isHeld;
  }

  prefillComplete(): void {
    this.#main.prefillComplete();
    this.#prefill?.release();
  }

  outputBlock(fraction?: number): void {
    this.#main.outputBlock(fraction);
  }

  release(): void {
    this.#main.release();
    this.#prefill?.release();
    this.#session?.end();
  }

  servedBy(endpoint: string): boolean {
    const server = this.#catalogue.byEndpoint(endpoint);
    if (server !== undefined && server === this.#chosen.rank.worker) return false;
    const rank = server && this.#likeliestRank(server);
    if (rank === undefined) return true;
    this.#main.move(rank.slot, rank.deviceBlocks * this.#chosen.request.blockSize);
    const served = this.#catalogue.rankAt(rank.slot);
    if (served !== undefined) this.#session?.movedTo(served);
    return true;
  }

  tried(endpoint: string, isReached: boolean): void {
    const worker = this.#catalogue.byEndpoint(endpoint);
    if (worker !== undefined) this.#catalogue.noteTry(worker, isReached);
  }

  /** The gateway names an endpoint, not a rank: the engine will have used the rank that was cheapest. */
  #likeliestRank(server: Worker): { slot: number; deviceBlocks: number } | undefined {
    const { candidates, choice } = this.#chosen;
    const own = candidates.flatMap((candidate, i) =>
      candidate.rank.worker === server ? [{ candidate, cost: choice.costs[i] ?? Number.NaN }] : [],
    );
    const [best] = own.toSorted((a, b) => (Number.isNaN(a.cost) ? 1 : Number.isNaN(b.cost) ? -1 : a.cost - b.cost));
    if (best !== undefined) return { slot: best.candidate.rank.slot, deviceBlocks: best.candidate.deviceBlocks };
    const [rank] = server.ranks;
    return rank && { slot: rank.slot, deviceBlocks: 0 };
  }
}
