import { RoutingError } from "../../errors/index.ts";
import type { LimitOptions } from "./options.ts";
import type { InFlightTotals } from "./telemetry.ts";

/** Counts what all streams hold together and refuses what would exceed the limits. */
export class Admission implements InFlightTotals {
  readonly #limits: Required<Omit<LimitOptions, "maxMessageBytes">>;
  readonly #changed: (totals: InFlightTotals) => void;
  #streams = 0;
  #picks = 0;
  #bodyBytes = 0;
  #isDraining = false;

  /** @param changed told after each change; what it is given stays current */
  constructor(limits: Required<Omit<LimitOptions, "maxMessageBytes">>, changed: (totals: InFlightTotals) => void) {
    this.#limits = limits;
    this.#changed = changed;
  }

  get streams(): number {
    return this.#streams;
  }

  get picks(): number {
    return this.#picks;
  }

  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** From here on every new request is refused with `shutting_down`. */
  refuseNew(): void {
    this.#isDraining = true;
  }

  /** Counts a stream until `close` of its ticket. */
  open(): StreamTicket {
    this.#streams += 1;
    this.#changed(this);
    return new StreamTicket(this);
  }

  /** For tickets: changes the totals. */
  count(picks: number, bodyBytes: number, streams: number): void {
    this.#picks += picks;
    this.#bodyBytes += bodyBytes;
    this.#streams += streams;
    this.#changed(this);
  }

  /** @throws RoutingError shutting_down, saturated */
  checkPick(): void {
    if (this.#isDraining) throw new RoutingError("the endpoint picker is shutting down", { code: "shutting_down" });
    if (this.#picks < this.#limits.maxPicksInFlight) return;
    throw new RoutingError("too many requests are waiting to be placed", { code: "saturated" });
  }

  /**
   * @param bodyBytes length of one body, held or announced
   * @throws RoutingError body_too_large
   */
  checkBody(bodyBytes: number): void {
    if (bodyBytes <= this.#limits.maxBodyBytes) return;
    throw new RoutingError(`the request body exceeds ${this.#limits.maxBodyBytes} bytes`, { code: "body_too_large" });
  }

  /** @throws RoutingError saturated */
  checkTotal(addedBytes: number): void {
    if (this.#bodyBytes + addedBytes <= this.#limits.maxBodyBytesInFlight) return;
    throw new RoutingError("too many request bytes are waiting to be placed", { code: "saturated" });
  }
}

/** What one stream has taken from the totals; every giving back may be repeated. */
export class StreamTicket {
  readonly #admission: Admission;
  #hasPick = false;
  #bodyBytes = 0;
  #isClosed = false;

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  /**
   * Takes a place among the requests to be picked.
   * @param announcedBytes length of the body, where it will be gathered and the client tells it
   * @throws RoutingError shutting_down, saturated, body_too_large
   */
  enterPick(announcedBytes: number): void {
    this.#admission.checkPick();
    this.#admission.checkBody(announcedBytes);
    this.#hasPick = true;
    this.#admission.count(1, 0, 0);
  }

  leavePick(): void {
    if (!this.#hasPick) return;
    this.#hasPick = false;
    this.#admission.count(-1, 0, 0);
  }

  /** @throws RoutingError body_too_large, saturated */
  addBody(bytes: number): void {
    this.#admission.checkBody(this.#bodyBytes + bytes);
    this.#admission.checkTotal(bytes);
    this.#bodyBytes += bytes;
    this.#admission.count(0, bytes, 0);
  }

  releaseBody(): void {
    if (this.#bodyBytes === 0) return;
    const bytes = this.#bodyBytes;
    this.#bodyBytes = 0;
    this.#admission.count(0, -bytes, 0);
  }

  /** Gives everything back. */
  close(): void {
    this.leavePick();
    this.releaseBody();
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#admission.count(0, 0, -1);
  }
}
