import { RoutingError } from "../errors/index.ts";
import type { PrepareWait } from "./elsewhere.ts";

/** Time as an attempt uses it. */
export interface PickClock {
  /** Milliseconds on a monotonic scale; only differences have meaning. */
  now(): number;
  /** Calls back once after a delay. @returns a function that cancels it */
  after(delayMs: number, callback: () => void): () => void;
}

/** A pick with what it booked. */
export interface BookedPick {
  readonly reservation: { release(): void };
}

/** What becomes of an attempt; exactly one is called, once, unless the attempt is abandoned. */
export interface PickOutcome<Booked extends BookedPick> {
  picked(decision: Booked): void;
  failed(cause: unknown): void;
}

/** One call of the router with a deadline; whatever comes after its end is given back. */
export class PickAttempt<Booked extends BookedPick> implements PrepareWait {
  readonly #outcome: PickOutcome<Booked>;
  readonly #clock: PickClock;
  readonly #deadlineMs: number;
  #controller: AbortController | undefined;
  #endReason: unknown;
  #cancelDeadline: (() => void) | undefined;
  #isOver = false;

  /** @param deadlineMs longest time that the router may take, in ms */
  constructor(outcome: PickOutcome<Booked>, clock: PickClock, deadlineMs: number) {
    this.#outcome = outcome;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort(this.#endReason ?? clientLeft());
    return this.#controller.signal;
  }

  /** Asks the router. Throws what `picked` throws; its promise rejects with that. */
  run(route: (wait: PrepareWait) => Booked | Promise<Booked>): void | Promise<void> {
    const endMs = this.#clock.now() + this.#deadlineMs;
    let answer: Booked | Promise<Booked>;
    try {
      answer = route(this);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (answer instanceof Promise) return this.#wait(answer);
    // A pick that did not wait cannot be interrupted, and its client has been told of a deadline.
    if (this.#clock.now() <= endMs) this.#succeed(answer);
    else this.#tooLate(answer);
  }

  /** Nobody waits for the outcome any more. @param reason undefined: the client has left */
  abandon(reason: Error | undefined): void {
    if (this.#isOver) return;
    this.#end(reason);
    this.#controller?.abort(reason ?? clientLeft());
  }

  async #wait(answer: Promise<Booked>): Promise<void> {
    this.#cancelDeadline = this.#clock.after(this.#deadlineMs, () => this.#fail(this.#deadlineError()));
    let decision: Booked;
    try {
      decision = await answer;
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (this.#isOver) decision.reservation.release();
    else this.#succeed(decision);
  }

  #succeed(decision: Booked): void {
    this.#end();
    this.#outcome.picked(decision);
  }

  #tooLate(decision: Booked): void {
    decision.reservation.release();
    this.#fail(this.#deadlineError());
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#end(cause);
    this.#controller?.abort(cause);
    this.#outcome.failed(cause);
  }

  #end(reason?: unknown): void {
    this.#isOver = true;
    this.#endReason = reason;
    this.#cancelDeadline?.();
  }

  #deadlineError(): RoutingError {
    return new RoutingError(`no worker was found in ${this.#deadlineMs} ms`, { code: "deadline_exceeded" });
  }
}

/** Made when somebody is told: an error takes as long as a tenth of a pick (bench/ext-proc). */
function clientLeft(): Error {
  return new Error("the client has left");
}
