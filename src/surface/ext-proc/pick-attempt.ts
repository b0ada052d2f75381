import { RoutingError } from "../../errors/index.ts";
import type { Clock } from "./clock.ts";
import type { PickDecision, PickRequest, PickRouter } from "./pick-router.ts";

/** What becomes of an attempt; exactly one is called, once, unless the attempt is abandoned. */
export interface PickOutcome {
  picked(decision: PickDecision): void;
  failed(cause: unknown): void;
}

/** One call of the router with a deadline; whatever comes after its end is given back. */
export class PickAttempt {
  readonly #controller = new AbortController();
  readonly #outcome: PickOutcome;
  #cancelDeadline: () => void = () => undefined;
  #isOver = false;

  constructor(outcome: PickOutcome) {
    this.#outcome = outcome;
  }

  /** Asks the router; throws only what `picked` throws. */
  async run(router: PickRouter, request: PickRequest, clock: Clock, deadlineMs: number): Promise<void> {
    this.#cancelDeadline = clock.after(deadlineMs, () => {
      this.#fail(new RoutingError(`no worker was found in ${deadlineMs} ms`, { code: "deadline_exceeded" }));
    });
    let decision: PickDecision;
    try {
      decision = await router.route(request, this.#controller.signal);
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    if (this.#isOver) decision.reservation.release();
    else this.#succeed(decision);
  }

  /** The client has left: nobody waits for the outcome. */
  abandon(reason: Error): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller.abort(reason);
  }

  #succeed(decision: PickDecision): void {
    this.#end();
    this.#outcome.picked(decision);
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#controller.abort(cause);
    this.#outcome.failed(cause);
  }

  #end(): void {
    this.#isOver = true;
    this.#cancelDeadline();
  }
}
