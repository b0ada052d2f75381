import { RoutingError } from "../../errors/index.ts";
import type { Clock } from "../../http/index.ts";
import type { OpenStreams } from "./open-streams.ts";

/** Looks in one deadline: a request is refused at most a quarter of its time late. */
const LOOKS = 4;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Refuses the requests whose bodies do not come, which would otherwise hold their places among those in flight for as long as their
 * clients like. It looks at all open streams now and then: a timer for each request would cost every request something.
 */
export class SlowRequests {
  readonly #streams: OpenStreams;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #cancel: () => void = () => undefined;

  /** @param deadlineMs longest time from the opening of a stream to the end of its request, in ms; 0 = any */
  constructor(streams: OpenStreams, clock: Clock, deadlineMs: number) {
    this.#streams = streams;
    this.#clock = clock;
    this.#deadlineMs = deadlineMs;
    if (deadlineMs > 0) this.#plan();
  }

  close(): void {
    this.#cancel();
  }

  #plan(): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, Math.ceil(this.#deadlineMs / LOOKS));
    this.#cancel = this.#clock.after(pauseMs, () => {
      this.#plan();
      this.#look();
    });
  }

  #look(): void {
    const openedBeforeMs = this.#clock.now() - this.#deadlineMs;
    for (const session of this.#streams.reading(openedBeforeMs)) {
      session.refuse(
        new RoutingError(`the request did not come in whole within ${this.#deadlineMs} ms`, {
          code: "request_timeout",
        }),
      );
    }
  }
}
