import type { Catalogue, Worker } from "../fleet/index.ts";
import type { Reservation } from "../load/index.ts";
import type { RouteReservation } from "./route-decision.ts";

/** The bookings of one routed request, on the worker that answers and, when split, on the one that prefills. */
export class BookedReservation implements RouteReservation {
  readonly #catalogue: Catalogue;
  readonly #picked: Worker;
  readonly #main: Reservation;
  readonly #prefill: Reservation | undefined;

  constructor(catalogue: Catalogue, picked: Worker, main: Reservation, prefill: Reservation | undefined) {
    this.#catalogue = catalogue;
    this.#picked = picked;
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
    const server = this.#catalogue.byEndpoint(endpoint);
    if (server === this.#picked) return false;
    const [rank] = server?.ranks ?? [];
    if (rank !== undefined) this.#main.move(rank.slot);
    return true;
  }
}
