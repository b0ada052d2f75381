import { RoutingError } from "../errors/index.ts";

/** Settings of caller-owned reservations. */
export interface LeaseOptions {
  /** Idle lease of a caller-owned reservation, in ms; any call on its id renews it. > 0. Default 60 000. */
  readonly leaseMs?: number;
  /** Most caller-owned reservations held at once; one more is refused with `saturated`. >= 1. Default 32 768. */
  readonly maxLeases?: number;
  /** Ended reservations whose fate is remembered, for clear answers to late calls. >= 0. Default 4 096. */
  readonly maxRememberedEnds?: number;
}

/** @throws RangeError naming the option */
function resolveLeaseOptions(options: LeaseOptions = {}): Required<LeaseOptions> {
  const { leaseMs = 60_000, maxLeases = 32_768, maxRememberedEnds = 4_096 } = options;
  if (!(leaseMs > 0)) throw new RangeError(`reservations.leaseMs must be > 0, got ${leaseMs}`);
  if (!(maxLeases >= 1)) throw new RangeError(`reservations.maxLeases must be >= 1, got ${maxLeases}`);
  if (!(maxRememberedEnds >= 0)) {
    throw new RangeError(`reservations.maxRememberedEnds must be >= 0, got ${maxRememberedEnds}`);
  }
  return { leaseMs, maxLeases, maxRememberedEnds };
}

/** Booked load that a lease keeps: of one worker, or of a pair. Every method is idempotent. */
export interface LeasedLoad {
  /** False once the worker that answers is gone, or the load was released. */
  readonly isHeld: boolean;
  prefillComplete(): void;
  outputBlock(fraction?: number): void;
  release(): void;
}

/** What a caller is told of its reservation. */
export interface Lease {
  readonly id: string;
  /** The reservation ends when no call names its id for this long, in ms. */
  readonly leaseMs: number;
}

/** How a reservation ended. */
export type LeaseEnd = "released" | "expired" | "worker_gone";

/** Tells the time. */
export interface LeaseClock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
}

interface HeldLease {
  readonly load: LeasedLoad;
  /** Set anew by each call. */
  endsAtMs: number;
}

/** Longest id that a caller may choose. */
const maxIdLength = 256;

const whyEnded = {
  released: "was released",
  expired: "has expired: no call named it during its lease",
  worker_gone: "ended with its worker",
} as const satisfies Record<LeaseEnd, string>;

/**
 * Caller-owned reservations by id. Each has an idle lease that any call on the id renews, so that a caller that died frees
 * its load and a long answer does not lose it (dynamo#12315). Nothing waits: a reservation is made in the same instant as
 * the choice that it books.
 */
export class LeaseTable {
  readonly #options: Required<LeaseOptions>;
  readonly #clock: LeaseClock;
  readonly #newId: () => string;
  /** Least recently renewed first. */
  readonly #leases = new Map<string, HeldLease>();
  readonly #ends = new Map<string, LeaseEnd>();
  readonly #endCounts: Record<LeaseEnd, number> = { released: 0, expired: 0, worker_gone: 0 };

  /** @param newId makes ids that nobody can guess, never one twice while it is held */
  constructor(options: LeaseOptions, clock: LeaseClock, newId: () => string) {
    this.#options = resolveLeaseOptions(options);
    this.#clock = clock;
    this.#newId = newId;
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Reservations that ended since the start, by how. */
  get endCounts(): Readonly<Record<LeaseEnd, number>> {
    return this.#endCounts;
  }

  /** Idle lease of every reservation, in ms. */
  get leaseMs(): number {
    return this.#options.leaseMs;
  }

  /**
   * Books and holds.
   * @param book charges the load; called once the id and the bound allow it, what it throws is passed on and nothing is held
   * @param id the caller's own; absent = one is made
   * @throws RoutingError reservation_conflict when the id is held, invalid_request for one that is empty or too long, saturated when `maxLeases` are
   */
  open(book: () => LeasedLoad, id: string = this.#newId()): Lease {
    this.sweep();
    if (id === "" || id.length > maxIdLength) {
      throw new RoutingError(`a reservation id has 1 to ${maxIdLength} characters`, { code: "invalid_request" });
    }
    if (this.#leases.has(id)) {
      throw new RoutingError(`reservation ${id} is held already`, { code: "reservation_conflict" });
    }
    if (this.#leases.size >= this.#options.maxLeases) {
      const held = this.#options.maxLeases;
      throw new RoutingError(`${held} reservations are held, no more are taken`, { code: "saturated" });
    }
    const load = book();
    this.#ends.delete(id);
    this.#leases.set(id, { load, endsAtMs: this.#deadline() });
    return { id, leaseMs: this.leaseMs };
  }

  /** The prompt is prefilled; may be told again. @throws RoutingError unknown_reservation */
  prefillComplete(id: string): Lease {
    this.#renewed(id).load.prefillComplete();
    return { id, leaseMs: this.leaseMs };
  }

  /**
   * One more block of output was generated; `fraction` as in `Reservation.outputBlock`.
   * @throws RoutingError unknown_reservation; RangeError for a fraction outside of [0,1]
   */
  outputBlock(id: string, fraction?: number): Lease {
    this.#renewed(id).load.outputBlock(fraction);
    return { id, leaseMs: this.leaseMs };
  }

  /** Keeps the reservation for another lease. @throws RoutingError unknown_reservation */
  renew(id: string): Lease {
    this.#renewed(id);
    return { id, leaseMs: this.leaseMs };
  }

  /**
   * The request is over.
   * @returns how the reservation had ended already; undefined = by this call
   * @throws RoutingError unknown_reservation for an id that was never held or is no longer remembered
   */
  release(id: string): LeaseEnd | undefined {
    this.sweep();
    const lease = this.#leases.get(id);
    if (lease !== undefined) {
      this.#end(id, lease, "released");
      return undefined;
    }
    const end = this.#ends.get(id);
    if (end === undefined) throw this.#unknown(id);
    return end;
  }

  /** Ends the reservations whose lease has run out. O(those). @returns their number */
  sweep(): number {
    const now = this.#clock.now();
    let ended = 0;
    for (const [id, lease] of this.#leases) {
      if (lease.endsAtMs > now) break;
      this.#end(id, lease, "expired");
      ended++;
    }
    return ended;
  }

  /** Ends the reservations whose worker is gone. O(all). @returns their number */
  dropLost(): number {
    let ended = 0;
    for (const [id, lease] of this.#leases) {
      if (lease.load.isHeld) continue;
      this.#end(id, lease, "worker_gone");
      ended++;
    }
    return ended;
  }

  #renewed(id: string): HeldLease {
    this.sweep();
    const lease = this.#leases.get(id);
    if (lease === undefined) throw this.#unknown(id);
    lease.endsAtMs = this.#deadline();
    this.#leases.delete(id);
    this.#leases.set(id, lease);
    return lease;
  }

  #end(id: string, { load }: HeldLease, end: LeaseEnd): void {
    this.#leases.delete(id);
    load.release();
    this.#endCounts[end] += 1;
    const { maxRememberedEnds } = this.#options;
    if (maxRememberedEnds === 0) return;
    if (this.#ends.size >= maxRememberedEnds) this.#ends.delete(this.#ends.keys().next().value ?? "");
    this.#ends.set(id, end);
  }

  #deadline(): number {
    return this.#clock.now() + this.#options.leaseMs;
  }

  #unknown(id: string): RoutingError {
    const end = this.#ends.get(id);
    const why = end === undefined ? "is not known" : whyEnded[end];
    return new RoutingError(`reservation ${id} ${why}`, { code: "unknown_reservation" });
  }
}
