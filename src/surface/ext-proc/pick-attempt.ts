import { RoutingError } from "../../errors/index.ts";
import type { Clock } from "./clock.ts";
import type { PickDecision, PickRequest, PickRouter, PickWait } from "./pick-router.ts";

/** What becomes of an attempt; exactly one is called, once, unless the attempt is abandoned. */
export interface PickOutcome {
  picked(decision: PickDecision): void;
  failed(cause: unknown): void;
}

/** One call of the router with a deadline; whatever comes after its end is given back. */
export class PickAttempt implements PickWait {
  readonly #outcome: PickOutcome;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #controller: AbortController | undefined;
  #endReason: unknown;
  #cancelDeadline: (() => void) | undefined;
  #isOver = false;

  /** @param deadlineMs longest time that the router may take, in ms */
  constructor(outcome: PickOutcome, clock: Clock, deadlineMs: number) {
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
  run(router: PickRouter, request: PickRequest): void | Promise<void> {
    const endMs = this.#clock.now() + this.#deadlineMs;
    let answer: PickDecision | Promise<PickDecision>;
    try {
      answer = router.route(request, this);
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

  async #wait(answer: Promise<PickDecision>): Promise<void> {
    this.#cancelDeadline = this.#clock.after(this.#deadlineMs, () => this.#fail(this.#deadlineError()));
    let decision: PickDecision;
    try {
      decision = await answer;
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (this.#isOver) decision.reservation.release();
    else this.#succeed(decision);
  }

  #succeed(decision: PickDecision): void {
    this.#end();
    this.#outcome.picked(decision);
  }

  #tooLate(decision: PickDecision): void {
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
