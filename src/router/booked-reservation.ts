import type { Catalogue, Worker } from "../fleet/index.ts";
import type { Reservation } from "../load/index.ts";
import type { Candidate, Choice } from "../pick/index.ts";
import type { RouteReservation } from "./route-decision.ts";

/** The choice that was booked, as it was when it was made. */
export interface BookedChoice {
  readonly candidates: readonly Candidate[];
  readonly choice: Choice;
  /** Tokens in a block; 0 when the prompt's tokens are not known. */
  readonly blockSize: number;
}

/** The bookings of one routed request, on the worker that answers and, when split, on the one that prefills. */
export class BookedReservation implements RouteReservation {
  readonly #catalogue: Catalogue;
  readonly #booked: BookedChoice;
  readonly #main: Reservation;
  readonly #prefill: Reservation | undefined;

  constructor(catalogue: Catalogue, booked: BookedChoice, main: Reservation, prefill: Reservation | undefined) {
    this.#catalogue = catalogue;
    this.#booked = booked;
    this.#main = main;
    this.#prefill = prefill;
  }

  prefillComplete(): void {
    this.#main.prefillComplete();
    this.#prefill?.release();
  }

  release(): void {
    this.#main.release();
    this.#prefill?.release();
  }

  servedBy(endpoint: string): boolean {
    const { candidates, choice, blockSize } = this.#booked;
    const server = this.#catalogue.byEndpoint(endpoint);
    if (server !== undefined && server === candidates[choice.chosen]?.rank.worker) return false;
    const rank = server && this.#likeliestRank(server);
    if (rank !== undefined) this.#main.move(rank.slot, rank.deviceBlocks * blockSize);
    return true;
  }

  /** The gateway names an endpoint, not a rank: the engine will have used the rank that was cheapest. */
  #likeliestRank(server: Worker): { slot: number; deviceBlocks: number } | undefined {
    const { candidates, choice } = this.#booked;
    const own = candidates.flatMap((candidate, i) =>
      candidate.rank.worker === server ? [{ candidate, cost: choice.costs[i] ?? Number.NaN }] : [],
    );
    const [best] = own.toSorted((a, b) => (Number.isNaN(a.cost) ? 1 : Number.isNaN(b.cost) ? -1 : a.cost - b.cost));
    if (best !== undefined) return { slot: best.candidate.rank.slot, deviceBlocks: best.candidate.deviceBlocks };
    const [rank] = server.ranks;
    return rank && { slot: rank.slot, deviceBlocks: 0 };
  }
}
