import assert from "node:assert/strict";
import { RoutingError } from "../errors/index.ts";
import type { BookingTable } from "./booked-request.ts";
import { BookedRequest } from "./booked-request.ts";
import type { Reservation, ReservationRequest } from "./reservation.ts";
import { SlotLoad } from "./slot-load.ts";

export interface LoadTableOptions {
  /** Most reservations held at once; one more is refused with `saturated`. Default 65 536. */
  readonly maxReservations?: number;
}

/** @throws RangeError for a bound that is not a whole number >= 1 */
export function resolveLoadTableOptions(options: LoadTableOptions = {}): Required<LoadTableOptions> {
  const { maxReservations = 65_536 } = options;
  if (!(Number.isInteger(maxReservations) && maxReservations >= 1)) {
    throw new RangeError(`load.maxReservations must be a whole number >= 1, got ${maxReservations}`);
  }
  return { maxReservations };
}

/**
 * Who is busy: what the running requests charge to each slot. Reads and writes are synchronous, so that a choice and
 * its booking are one step.
 *
 * Source of the counting rules: dynamo@1.6.1 kv-router, ActiveSequencesMultiWorker.
 */
export class LoadTable {
  readonly #options: Required<LoadTableOptions>;
  readonly #newId: () => string;
  readonly #byId = new Map<string, BookedRequest>();
  readonly #loads: (SlotLoad | undefined)[] = [];
  readonly #fellListeners = new Set<() => void>();
  readonly #changedListeners = new Set<(slot: number) => void>();
  /** What booked requests may do to the table, and nobody else. */
  readonly #bookings: BookingTable = {
    loadOf: (slot) => this.#loadOf(slot),
    list: (request) => this.#list(request),
    unlist: (request) => this.#unlist(request),
    loadFell: () => this.#tellFell(),
    loadChanged: (slot) => {
      for (const listener of this.#changedListeners) listener(slot);
    },
  };

  /** @param newId makes reservation ids, never one twice while it is held; default: "1", "2", ... */
  constructor(options: LoadTableOptions = {}, newId: () => string = countingIds()) {
    this.#options = resolveLoadTableOptions(options);
    this.#newId = newId;
  }

  /**
   * Books a request. O(log blocks) and one copy of the hashes that no other request holds.
   * @throws RoutingError saturated when `maxReservations` are held
   */
  reserve(slot: number, request: ReservationRequest): Reservation {
    assert(2 * request.count <= request.sequence.length, "a sequence shorter than its block count");
    const booked = new BookedRequest(this.#newId(), request, this.#bookings);
    if (!this.#list(booked)) {
      const held = this.#options.maxReservations;
      throw new RoutingError(`${held} requests are in flight, no more are taken`, {
        code: "saturated",
      });
    }
    booked.book(slot, request.sequence, request.count);
    return booked;
  }

  /** The live reservation of this id. */
  find(id: string): Reservation | undefined {
    return this.#byId.get(id);
  }

  get reservationCount(): number {
    return this.#byId.size;
  }

  /** Prompt tokens still to prefill on the slot. */
  activePrefillTokens(slot: number): number {
    return this.#loads[slot]?.prefillTokens ?? 0;
  }

  /** Unique prompt blocks and output blocks held by the slot's running requests, weighted and rounded. */
  activeDecodeBlocks(slot: number): number {
    return this.#loads[slot]?.decodeBlocks ?? 0;
  }

  activeRequests(slot: number): number {
    return this.#loads[slot]?.reservations.size ?? 0;
  }

  /** Requests booked on the slot since it is in use, running ones included. */
  bookedRequests(slot: number): number {
    return this.#loads[slot]?.bookedRequests ?? 0;
  }

  /**
   * Of a prompt's `count` blocks, those after the longest prefix that the slot's running requests hold. O(log count).
   * @param sequence chained sequence hashes, lo,hi pairs
   */
  blocksNotActive(slot: number, sequence: Uint32Array, count: number): number {
    const load = this.#loads[slot];
    return load === undefined ? count : count - load.blocks.matchedBlocks(sequence, count);
  }

  /** Told after each fall of any rank's load. Must not wait. @returns unsubscribes */
  onLoadFell(listener: () => void): () => void {
    this.#fellListeners.add(listener);
    return () => this.#fellListeners.delete(listener);
  }

  /** Told after each change of a rank's load, but not when the rank goes away. Must not wait. @returns unsubscribes */
  onChanged(listener: (slot: number) => void): () => void {
    this.#changedListeners.add(listener);
    return () => this.#changedListeners.delete(listener);
  }

  /** Forgets a rank that went away, with all its reservations. */
  removeSlot(slot: number): void {
    const load = this.#loads[slot];
    this.#loads[slot] = undefined;
    for (const reservation of load?.reservations ?? []) this.#byId.get(reservation.id)?.drop();
    this.#tellFell();
  }

  #tellFell(): void {
    for (const listener of this.#fellListeners) listener();
  }

  #loadOf(slot: number): SlotLoad {
    assert(Number.isInteger(slot) && slot >= 0, `not a slot: ${slot}`);
    const known = this.#loads[slot];
    if (known !== undefined) return known;
    while (this.#loads.length < slot) this.#loads.push(undefined);
    const load = new SlotLoad();
    this.#loads[slot] = load;
    return load;
  }

  #list(request: BookedRequest): boolean {
    if (this.#byId.size >= this.#options.maxReservations) return false;
    assert(!this.#byId.has(request.id), `reservation ${request.id} exists`);
    this.#byId.set(request.id, request);
    return true;
  }

  #unlist(request: BookedRequest): void {
    if (this.#byId.get(request.id) === request) this.#byId.delete(request.id);
  }
}

function countingIds(): () => string {
  let last = 0;
  return () => String(++last);
}
