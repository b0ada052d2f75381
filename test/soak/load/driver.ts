import type { Outcome } from "./outcome.ts";

/** How requests are sent. */
export interface DriverOptions {
  /** Requests begun in a second, at random distances. */
  readonly perSecond: number;
  readonly random: () => number;
  /** Requests under way at one time; beyond them none is begun. Default 64. */
  readonly mostAtOnce?: number;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** Sends requests at a rate, whatever becomes of those before, until it is stopped. */
export class Driver {
  readonly #options: Required<DriverOptions>;
  readonly #send: () => Promise<Outcome>;
  readonly #running = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /** Requests that were not begun because so many were under way. */
  heldBack = 0;

  constructor(send: () => Promise<Outcome>, options: DriverOptions) {
    this.#send = send;
    this.#options = { mostAtOnce: 64, ...options };
  }

  get underWay(): number {
    return this.#running.size;
  }

  start(): void {
    const { perSecond, random } = this.#options;
    const pauseMs = (-Math.log(1 - random()) * 1_000) / perSecond;
    this.#timer = setTimeout(() => {
      this.#begin();
      this.start();
    }, pauseMs);
  }

  /** Begins no more, and waits until all have ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await Promise.all(this.#running);
  }

  #begin(): void {
    const { mostAtOnce, onOutcome } = this.#options;
    if (this.#running.size >= mostAtOnce) {
      this.heldBack++;
      return;
    }
    const running = this.#send().then((outcome) => {
      this.#running.delete(running);
      onOutcome(outcome);
    });
    this.#running.add(running);
  }
}
