import { type AnswerReceiver, DispatchError, type WorkerExchange } from "../../../dispatch/index.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { ErrorEvents } from "./error-events.ts";
import {
  type HeldHead,
  isEventStream,
  isSuccess,
  type LegEvents,
  type LegRequests,
  type Legs,
  withoutPlaces,
} from "./legs.ts";

/** Completes the decode worker's answer by the prefill worker's. */
export interface AnswerMerge {
  /** @returns false when the prefill worker's answer is too long */
  prefillData(chunk: Buffer): boolean;
  prefillEnd(): void;
  /** The head of the decode worker's answer as it is passed on. */
  head(head: HeldHead): HeldHead;
  /** What can be passed on; empty = nothing yet, undefined = the answer is too long. */
  data(chunk: Buffer): Buffer | undefined;
  end(): Buffer;
}

/** What is known of the prefill worker's answer. `accepted`: its head was good; `over`: nothing of it matters any more. */
type PrefillState = "waiting" | "accepted" | "refused" | "over";

/**
 * Both workers at once, as SGLang wants it. The decode worker's answer is the answer; its head waits until the prefill worker has accepted
 * the request, so that a refusal keeps its status. The first of the two to fail ends the other.
 */
export class ConcurrentLegs implements Legs {
  readonly #requests: LegRequests;
  readonly #events: LegEvents;
  readonly #merge: AnswerMerge | undefined;
  #receiver: AnswerReceiver | undefined;
  #prefill: WorkerExchange | undefined;
  #decode: WorkerExchange | undefined;
  #state: PrefillState = "waiting";
  #heldHead: HeldHead | undefined;
  /** What came of the decode worker's answer while its head waits. */
  #heldData: Buffer[] = [];
  #hasDecodeEnded = false;
  /** Whether the answer that is passed on is completed. */
  #isMerging = false;
  #hasContent = false;
  /** Whether the receiver can take no more. */
  #isPaused = false;
  /** Of the prefill worker's stream; undefined = it is none. */
  #errors: ErrorEvents | undefined;
  #isOver = false;

  /** @param merge undefined = the decode worker's answer is passed on as it comes */
  constructor(requests: LegRequests, events: LegEvents, merge: AnswerMerge | undefined) {
    this.#requests = requests;
    this.#events = events;
    this.#merge = merge;
  }

  get prefilling(): string {
    return this.#requests.prefill.endpoint;
  }

  get answering(): string {
    return this.#state === "refused" ? this.#requests.prefill.endpoint : this.#requests.decode.endpoint;
  }

  send(dispatcher: Dispatcher, receiver: AnswerReceiver): void {
    this.#receiver = receiver;
    this.#prefill = dispatcher.send(this.#requests.prefill, {
      head: (status, reason, rawHeaders) => this.#prefillHead({ status, reason, rawHeaders }),
      data: (chunk) => this.#prefillData(chunk),
      end: () => this.#prefillEnd(),
      failed: (error) => this.#prefillFailed(error),
    });
    if (this.#isOver) {
      this.#prefill.cancel();
      return;
    }
    this.#decode = dispatcher.send(this.#requests.decode, {
      head: (status, reason, rawHeaders) => this.#decodeHead({ status, reason, rawHeaders }),
      data: (chunk) => this.#decodeData(chunk),
      end: () => this.#decodeEnd(),
      failed: (error) => this.#decodeFailed(error),
    });
    if (this.#isOver || this.#state === "refused") this.#decode.cancel();
  }

  contentBegan(): void {
    this.#hasContent = true;
  }

  pause(): void {
    this.#isPaused = true;
    this.#answeringExchange()?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#answeringExchange()?.resume();
  }

  /** Before the first content both are cancelled; after it what is left of the prefill worker's answer is read and dropped. */
  cancel(): void {
    this.#isOver = true;
    this.#decode?.cancel();
    if (!this.#hasContent || this.#state === "refused") this.#prefill?.cancel();
  }

  #answeringExchange(): WorkerExchange | undefined {
    return this.#state === "refused" ? this.#prefill : this.#decode;
  }

  #prefillHead(head: HeldHead): void {
    if (this.#state === "over") return;
    if (!isSuccess(head.status)) {
      this.#state = "refused";
      this.#decode?.cancel();
      this.#receiver?.head(head.status, head.reason, withoutPlaces(head.rawHeaders));
      return;
    }
    this.#events.prefillAnswered(this.#requests.prefill.endpoint);
    this.#errors = isEventStream(head) ? new ErrorEvents() : undefined;
    if (this.#merge !== undefined) return;
    this.#state = "accepted";
    this.#releaseDecode();
  }

  #prefillData(chunk: Buffer): void {
    if (this.#state === "refused") this.#receiver?.data(chunk);
    else if (this.#state !== "over" && !this.#hasContent && this.#errors?.sees(chunk) === true) {
      this.#prefill?.cancel();
      this.#prefillFailed(new DispatchError("error_event"));
    } else if (this.#state === "waiting" && this.#merge?.prefillData(chunk) === false) {
      this.#prefill?.cancel();
      this.#prefillFailed(new DispatchError("malformed"));
    }
  }

  #prefillEnd(): void {
    if (this.#state === "refused") {
      this.#receiver?.end();
      return;
    }
    const isAwaited = this.#state === "waiting";
    this.#state = "over";
    if (!isAwaited) return;
    this.#merge?.prefillEnd();
    this.#releaseDecode();
  }

  #prefillFailed(error: DispatchError): void {
    const { endpoint } = this.#requests.prefill;
    if (this.#state === "over" || this.#isOver) return;
    if (this.#hasContent) {
      this.#state = "over";
      this.#events.prefillBroke(endpoint, error);
      return;
    }
    this.#state = "refused";
    this.#isOver = true;
    this.#decode?.cancel();
    this.#receiver?.failed(error);
  }

  #decodeHead(head: HeldHead): void {
    if (!isSuccess(head.status)) {
      this.#endPrefill();
      this.#receiver?.head(head.status, head.reason, head.rawHeaders);
    } else if (this.#state === "waiting") {
      this.#heldHead = head;
      this.#decode?.pause();
    } else this.#passHead(head);
  }

  #decodeData(chunk: Buffer): void {
    if (this.#heldHead === undefined) this.#passData(chunk);
    else this.#heldData.push(chunk);
  }

  #decodeEnd(): void {
    if (this.#heldHead === undefined) this.#finish();
    else this.#hasDecodeEnded = true;
  }

  #decodeFailed(error: DispatchError): void {
    this.#isOver = true;
    this.#endPrefill();
    this.#receiver?.failed(error);
  }

  #releaseDecode(): void {
    const held = this.#heldHead;
    if (held === undefined) return;
    this.#heldHead = undefined;
    try {
      this.#passHead(held);
      for (const chunk of this.#heldData.splice(0)) this.#passData(chunk);
      if (this.#hasDecodeEnded) this.#finish();
    } catch (cause) {
      // Thrown on it would fail the other exchange, by which nothing is passed on any more.
      this.#decode?.cancel();
      this.#decodeFailed(new DispatchError("reset", { cause }));
    }
    // Later: undici cannot read on one connection within a call of another's.
    queueMicrotask(() => this.#resumeDecode());
  }

  #passHead(head: HeldHead): void {
    this.#isMerging = this.#merge !== undefined;
    const { status, reason, rawHeaders } = this.#merge?.head(head) ?? head;
    this.#receiver?.head(status, reason, rawHeaders);
  }

  #passData(chunk: Buffer): void {
    // A piece that was held, behind one that could not be passed on.
    if (this.#isOver) return;
    const merged = this.#isMerging ? this.#merge?.data(chunk) : chunk;
    if (merged === undefined) {
      this.#decode?.cancel();
      this.#decodeFailed(new DispatchError("malformed"));
    } else if (merged.length > 0) this.#receiver?.data(merged);
  }

  #resumeDecode(): void {
    if (!this.#isPaused && !this.#isOver) this.#decode?.resume();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const rest = this.#isMerging ? this.#merge?.end() : undefined;
    if (rest !== undefined && rest.length > 0) this.#receiver?.data(rest);
    this.#receiver?.end();
  }

  #endPrefill(): void {
    this.#state = "over";
    this.#prefill?.cancel();
  }
}
