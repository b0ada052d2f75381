import type { Reservation, ReservationRequest } from "./reservation.ts";

export interface LoadTableOptions {
  /** Most reservations held at once; one more is refused with `saturated`. Default 65 536. */
  readonly maxReservations?: number;
}

/** Who is busy: what the running requests charge to each slot. */
export class LoadTable {
  constructor(_options?: LoadTableOptions, _newId?: () => string) {
    throw new Error("todo");
  }
  /** @throws RoutingError saturated when `maxReservations` are held */
  reserve(_slot: number, _request: ReservationRequest): Reservation {
    throw new Error("todo");
  }
  /** The live reservation of this id. */
  find(_id: string): Reservation | undefined {
    throw new Error("todo");
  }
  get reservationCount(): number {
    throw new Error("todo");
  }
  activePrefillTokens(_slot: number): number {
    throw new Error("todo");
  }
  /** Unique prompt blocks and output blocks held by running requests, weighted and rounded. */
  activeDecodeBlocks(_slot: number): number {
    throw new Error("todo");
  }
  activeRequests(_slot: number): number {
    throw new Error("todo");
  }
  /** Of the prompt's `count` blocks, those after the longest prefix that running requests on the slot hold. O(log count). */
  blocksNotActive(_slot: number, _sequence: Uint32Array, _count: number): number {
    throw new Error("todo");
  }
  /** Forgets a rank that went away, with all its reservations. */
  removeSlot(_slot: number): void {
    throw new Error("todo");
  }
}
