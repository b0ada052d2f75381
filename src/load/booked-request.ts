import type { Run } from "./prefix-runs.ts";
import { sequenceOf } from "./prefix-runs.ts";
import type { Reservation, ReservationRequest } from "./reservation.ts";
import type { SlotLoad } from "./slot-load.ts";

/** The table that a booked request belongs to, as the request sees it. */
export interface BookingTable {
  /** Load of a slot, made when new. */
  loadOf(slot: number): SlotLoad;
  /** Lists the request by its id. @returns false when no more can be held */
  list(request: BookedRequest): boolean;
  unlist(request: BookedRequest): void;
  /** The load of a slot is less than it was. */
  loadFell(): void;
  /** The load of a slot is another than it was. */
  loadChanged(slot: number): void;
}

interface Booking {
  readonly slot: number;
  readonly load: SlotLoad;
  readonly last: Run;
}

/** A reservation: charged to a slot, or dropped with its slot (may be booked anew), or released (for good). */
export class BookedRequest implements Reservation {
  readonly id: string;
  readonly #table: BookingTable;
  readonly #promptTokens: number;
  readonly #tracksPrefill: boolean;
  readonly #assumesKvReuse: boolean;
  #booking: Booking | undefined;
  #sequenceIfDropped: Uint32Array | undefined;
  #isReleased = false;
  #isPrefilled = false;
  #prefillTokens: number;
  #outputBlocks = 0;
  #outputWeight = 0;

  constructor(id: string, request: ReservationRequest, table: BookingTable) {
    this.id = id;
    this.#table = table;
    this.#promptTokens = request.promptTokens;
    this.#tracksPrefill = request.tracksPrefill ?? true;
    this.#assumesKvReuse = request.assumesKvReuse ?? true;
    this.#prefillTokens = this.#uncachedTokens(request.cachedTokens);
  }

  get slot(): number {
    return this.#booking?.slot ?? -1;
  }

  get isHeld(): boolean {
    return this.#booking !== undefined;
  }

  get prefillTokens(): number {
    return this.#prefillTokens;
  }

  /** Charges the request to a slot. Called once by the table, which has checked its bounds. */
  book(slot: number, sequence: Uint32Array, count: number): void {
    const load = this.#table.loadOf(slot);
    const last = this.#assumesKvReuse ? load.blocks.hold(sequence, count) : load.blocks.holdAlone(sequence, count);
    load.reservations.add(this);
    load.bookedRequests++;
    load.prefillTokens += this.#prefillTokens;
    load.outputBlocks += this.#outputWeight;
    this.#booking = { slot, load, last };
    this.#table.loadChanged(slot);
  }

  /** The slot went away with all its load. */
  drop(): void {
    if (this.#booking === undefined) return;
    this.#sequenceIfDropped = sequenceOf(this.#booking.last);
    this.#booking = undefined;
    this.#table.unlist(this);
  }

  prefillComplete(): void {
    this.#isPrefilled = true;
    if (this.#prefillTokens === 0) return;
    if (this.#booking !== undefined) {
      this.#booking.load.prefillTokens -= this.#prefillTokens;
      this.#table.loadChanged(this.#booking.slot);
    }
    this.#prefillTokens = 0;
    this.#table.loadFell();
  }

  outputBlock(fraction?: number): void {
    if (fraction !== undefined && !(fraction >= 0 && fraction <= 1)) {
      throw new RangeError(`outputBlock: fraction must be in [0,1], got ${fraction}`);
    }
    if (this.#booking === undefined) return;
    const { slot, load, last } = this.#booking;
    this.#outputBlocks++;
    const weight = fraction === undefined ? this.#outputWeight + 1 : this.#outputBlocks * fraction;
    load.outputBlocks += weight - this.#outputWeight;
    this.#outputWeight = weight;
    if (fraction !== undefined) load.blocks.weighUnshared(last, fraction);
    this.#table.loadChanged(slot);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.prefillComplete();
    this.#unbook();
    this.#sequenceIfDropped = undefined;
    this.#table.unlist(this);
    this.#table.loadFell();
  }

  move(toSlot: number, cachedTokens?: number): void {
    if (this.#isReleased || toSlot === this.#booking?.slot) return;
    const sequence = this.#sequenceIfDropped ?? (this.#booking && sequenceOf(this.#booking.last));
    if (sequence === undefined) return;
    if (this.#booking === undefined && !this.#table.list(this)) return;
    this.#unbook();
    this.#sequenceIfDropped = undefined;
    if (cachedTokens !== undefined && !this.#isPrefilled) this.#prefillTokens = this.#uncachedTokens(cachedTokens);
    this.book(toSlot, sequence, sequence.length >>> 1);
    this.#table.loadFell();
  }

  #uncachedTokens(cachedTokens: number): number {
    return this.#tracksPrefill ? Math.max(0, this.#promptTokens - cachedTokens) : 0;
  }

  #unbook(): void {
    if (this.#booking === undefined) return;
    const { slot, load, last } = this.#booking;
    load.blocks.release(last);
    load.reservations.delete(this);
    load.prefillTokens -= this.#prefillTokens;
    load.outputBlocks -= this.#outputWeight;
    // As in PrefixRuns: an idle rank is the moment to forget the drift of summed fractions.
    if (load.reservations.size === 0) load.outputBlocks = 0;
    this.#booking = undefined;
    this.#table.loadChanged(slot);
  }
}
