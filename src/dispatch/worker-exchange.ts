import { Buffer } from "node:buffer";
import type { Dispatcher } from "undici";
import { AnswerParts } from "./answer-parts.ts";
import { DispatchError, dispatchErrorOf } from "./dispatch-error.ts";
import type { Waiting, WaitingExchanges } from "./waiting-exchanges.ts";

/**
 * Takes a worker's answer as it comes. After `end` or `failed` nothing is called, nor after the exchange was cancelled. What a call throws fails the exchange:
 * `failed` is called, after an `end` that threw too. What `failed` throws is a fault that nobody else can do anything about: it is told, and goes no further.
 */
export interface AnswerReceiver {
  /** The request is on its way, on a connection; absent = that does not matter. */
  sent?(): void;
  /**
   * @param reason latin1, without control characters
   * @param rawHeaders names and values in turn, as they came; latin1
   */
  head(status: number, reason: string, rawHeaders: readonly string[]): void;
  data(chunk: Buffer): void;
  end(): void;
  failed(error: DispatchError): void;
}

/** One request to one worker, under way. */
export interface WorkerExchange {
  /** Reads no more of the answer, so that the worker is held back. */
  pause(): void;
  resume(): void;
  /** Nobody wants the answer: the connection is closed at once, which tells the worker. */
  cancel(): void;
}

/** An exchange as undici drives it. */
export class UndiciExchange implements Dispatcher.DispatchHandler, WorkerExchange, Waiting {
  readonly #receiver: AnswerReceiver;
  readonly #waits: WaitingExchanges;
  readonly #parts: AnswerParts;
  readonly #fault: (cause: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  /** @param fault told what `failed` of the receiver throws */
  constructor(receiver: AnswerReceiver, waits: WaitingExchanges, fault: (cause: unknown) => void) {
    this.#receiver = receiver;
    this.#waits = waits;
    this.#fault = fault;
    this.#parts = new AnswerParts(receiver, (cause) => this.#controller?.abort(cause));
    waits.begin(this);
  }

  /** No connection was to be had in time; undici hears of it when there is one. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed(new DispatchError("unreachable", { cause: new Error("no connection was free in time") }));
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waits.end(this);
    this.#parts.drop();
    this.#controller?.abort(new Error("cancelled"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#waits.end(this);
    // Cancelled while the connection came about.
    if (this.#isOver) controller.abort(new Error("cancelled"));
    else this.#receiver.sent?.();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason: string | undefined,
  ): void {
    // An informational head stands before the answer's own.
    if (this.#isOver || status < 200) return;
    this.#parts.head({ status, reason: sendableReason(reason ?? ""), rawHeaders: textsOf(controller.rawHeaders) });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#isOver) this.#parts.data(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#parts.handOver();
    // The receiver may have cancelled meanwhile.
    if (this.#isOver) return;
    this.#isOver = true;
    try {
      this.#receiver.end();
    } catch (cause) {
      // Undici would tell of it here again, where the exchange is over.
      this.#failed(dispatchErrorOf(cause, true));
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#waits.end(this);
    if (this.#isOver) return;
    const cause = this.#parts.rest() ?? error;
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed(dispatchErrorOf(cause, this.#controller !== undefined));
  }

  /** Undici would emit what is thrown here as an error of its client, which nobody listens to: that ends the process. So does what a timer's call throws. */
  #failed(error: DispatchError): void {
    try {
      this.#receiver.failed(error);
    } catch (cause) {
      this.#fault(cause);
    }
  }
}

const plainReason = /^[\t\x20-\x7e]*$/;
const unsendable = /[^\t\x20-\x7e\x80-\xff]/g;

/** Undici reads it as UTF-8, and takes what Node refuses to send: as latin1 it has the worker's bytes again, control characters are question marks. */
function sendableReason(reason: string): string {
  return plainReason.test(reason) ? reason : Buffer.from(reason).toString("latin1").replace(unsendable, "?");
}

function textsOf(raw: Dispatcher.DispatchController["rawHeaders"]): readonly string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((text) => (typeof text === "string" ? text : text.toString("latin1")));
}
