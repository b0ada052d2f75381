import {
  type ClientAnswer,
  type Clock,
  type HttpError,
  type StreamFormat,
  streamErrorEvent,
} from "../../http/index.ts";
import { headOf, type RetryAdvice, retryLines } from "./answer-head.ts";
import type { ReplayFormat } from "./queue-paths.ts";
import { passedError } from "./replay/passed-error.ts";
import { replayEvents } from "./replay/replay-events.ts";
import { type ResultAnswer, resultAnswer } from "./result-answer.ts";

/** How a client wants its answer. */
export interface StreamWish {
  readonly format: ReplayFormat;
  readonly includesUsage: boolean;
}

/** A line that clients of Server-Sent Events pass over. */
const keepAlive = ": queued\n\n";
const eventStream = "text/event-stream";

/** The answer to one client, while it waits and after: whole, or as the events of a stream. */
export class WaitingAnswer {
  readonly #client: ClientAnswer;
  readonly #wish: StreamWish | undefined;
  readonly #clock: Clock;
  readonly #keepAliveMs: number;
  readonly #advice: RetryAdvice;
  #cancelTick: () => void = () => undefined;

  /** @param wish undefined = no stream @param keepAliveMs pause between two signs of life of a stream; 0 = there are none */
  constructor(
    client: ClientAnswer,
    wish: StreamWish | undefined,
    {
      clock,
      keepAliveMs,
      advice,
    }: { readonly clock: Clock; readonly keepAliveMs: number; readonly advice: RetryAdvice },
  ) {
    this.#client = client;
    this.#wish = wish;
    this.#clock = clock;
    this.#keepAliveMs = keepAliveMs;
    this.#advice = advice;
  }

  /** From here on the client sees that it waits. */
  wait(): void {
    if (this.#wish !== undefined && this.#keepAliveMs > 0) this.#tickLater();
  }

  /** @returns the status that the client got. @throws HttpError when the result is no answer */
  answer(result: Parameters<typeof resultAnswer>[0]): number {
    this.stop();
    const answer = resultAnswer(result);
    if (this.#wish === undefined) this.#whole(answer);
    else this.#replay(answer, this.#wish);
    return answer.status;
  }

  /** An error of our own, with what belongs to its status; in a stream that has begun, as its last event. */
  refuse(error: HttpError, field: string | undefined): void {
    this.stop();
    if (this.#client.isOver) return;
    if (this.#client.isBegun) this.#endWith(streamErrorEvent(this.#format(), error, () => 0));
    else this.#client.refuse(error, field);
  }

  stop(): void {
    this.#cancelTick();
    this.#cancelTick = () => undefined;
  }

  #whole({ status, body, contentType }: ResultAnswer): void {
    const lines = retryLines(status, this.#advice);
    this.#client.whole(headOf(status, contentType, lines), Buffer.from(body));
  }

  #replay(answer: ResultAnswer, { format, includesUsage }: StreamWish): void {
    if (answer.status >= 300) {
      if (this.#client.isBegun) this.#endWith(passedError(format, answer));
      else this.#whole(answer);
      return;
    }
    const events = replayEvents(format, answer.body, includesUsage);
    // A gateway may stream whatever it is asked; what is no answer of the API is passed on as it is.
    if (events === undefined && answer.contentType !== eventStream && !this.#client.isBegun) {
      this.#whole(answer);
      return;
    }
    if (!this.#client.isBegun) this.#begin();
    for (const event of events ?? [answer.body]) this.#client.write(event);
    this.#client.end();
  }

  #begin(): void {
    this.#client.begin(headOf(200, eventStream, ["cache-control", "no-cache"]));
  }

  #endWith(event: string): void {
    this.#client.write(event);
    this.#client.end();
  }

  #tickLater(): void {
    this.#cancelTick = this.#clock.after(this.#keepAliveMs, () => {
      if (this.#client.isOver) return;
      if (!this.#client.isBegun) this.#begin();
      this.#client.write(keepAlive);
      this.#tickLater();
    });
  }

  #format(): StreamFormat {
    return this.#wish?.format ?? "chat";
  }
}
