import type { DispatchError } from "../../dispatch/index.ts";
import type { ApiError, Clock, StreamFormat } from "../../http/index.ts";
import type { AnswerBody } from "./attempt.ts";
import { StreamEnd } from "./stream-end.ts";
import { WholeEvents } from "./whole-events.ts";
import { streamError } from "./worker-errors.ts";

/** Where events go. */
export interface EventSink {
  write(bytes: Buffer): void;
  finish(): void;
  /** The worker broke off between two events: this one tells the client, and ends its answer. */
  fail(event: string, error: DispatchError): void;
  /** The worker broke off within an event. */
  cut(error: DispatchError): void;
}

/** What is known of a stream before it comes. */
export interface StreamKind {
  readonly format: StreamFormat;
  /** Whether the bytes are compressed: then they are passed on as they are, and nothing can be added. */
  readonly isEncoded: boolean;
  /** Silence after which a comment is sent, ms; 0 = never. */
  readonly commentMs: number;
}

/** A comment, as clients pass over it: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes */
const comment = Buffer.from(": keep-alive\n\n");

/** Longest event that is held until its end has come, in bytes. */
const maxHeldBytes = 65_536;
/** Longest time that a part of an event waits for the rest. */
const maxHoldMs = 100;

/** The events of an answer, passed on as they come. */
export class EventStream implements AnswerBody {
  readonly #end: StreamEnd;
  readonly #events = new WholeEvents(maxHeldBytes);
  readonly #isEncoded: boolean;
  readonly #clock: Clock;
  readonly #sink: EventSink;
  readonly #commentMs: number;
  #cancelHold: (() => void) | undefined;
  #cancelComment: (() => void) | undefined;
  #lastSentMs = 0;

  constructor({ format, isEncoded, commentMs }: StreamKind, clock: Clock, sink: EventSink) {
    this.#end = new StreamEnd(format);
    this.#isEncoded = isEncoded;
    this.#commentMs = isEncoded ? 0 : commentMs;
    this.#clock = clock;
    this.#sink = sink;
    if (this.#commentMs === 0) return;
    this.#lastSentMs = clock.now();
    this.#awaitSilence(this.#commentMs);
  }

  data(chunk: Buffer): void {
    if (this.#isEncoded) {
      this.#sink.write(chunk);
      return;
    }
    this.#send(this.#events.take(chunk));
    if (!this.#events.isHolding) this.#endHold();
    else this.#cancelHold ??= this.#clock.after(maxHoldMs, () => this.#releaseSoon());
  }

  end(): void {
    this.close();
    this.#send(this.#events.rest());
    this.#sink.finish();
  }

  broken(error: DispatchError): void {
    this.close();
    const event = this.lastWords(streamError(error));
    if (event === undefined) this.#sink.cut(error);
    else if (this.#end.isWhole) this.#sink.finish();
    else this.#sink.fail(event, error);
  }

  lastWords(error: ApiError): string | undefined {
    return this.#isEncoded || this.#events.endsWithin ? undefined : this.#end.errorEvent(error);
  }

  close(): void {
    this.#endHold();
    this.#cancelComment?.();
    this.#cancelComment = undefined;
  }

  /** One timer for all that is sent meanwhile: it looks how long nothing was. */
  #awaitSilence(delayMs: number): void {
    this.#cancelComment = this.#clock.after(delayMs, () => {
      const nowMs = this.#clock.now();
      const leftMs = this.#lastSentMs + this.#commentMs - nowMs;
      this.#awaitSilence(leftMs > 0 ? leftMs : this.#commentMs);
      if (leftMs > 0) return;
      this.#lastSentMs = nowMs;
      this.#comment();
    });
  }

  /** Only between two events: within one it would be a part of it. */
  #comment(): void {
    if (!this.#events.isHolding && !this.#events.endsWithin) this.#sink.write(comment);
  }

  /** Not before what has come meanwhile has been read, if this process had other things to do. */
  #releaseSoon(): void {
    const immediate = setImmediate(() => this.#release());
    this.#cancelHold = () => clearImmediate(immediate);
  }

  #release(): void {
    this.#cancelHold = undefined;
    if (this.#events.isHolding) this.#send(this.#events.giveUp());
  }

  #send(bytes: Buffer | undefined): void {
    if (bytes === undefined || bytes.length === 0) return;
    this.#end.sent(bytes);
    if (this.#commentMs > 0) this.#lastSentMs = this.#clock.now();
    this.#sink.write(bytes);
  }

  #endHold(): void {
    this.#cancelHold?.();
    this.#cancelHold = undefined;
  }
}
