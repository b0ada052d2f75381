import type { AnswerReceiver, DispatchError, WorkerExchange } from "../../../dispatch/index.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { type HeldHead, isSuccess, type LegEvents, type LegRequests, type Legs, withoutPlaces } from "./legs.ts";

/** What is known of the prefill worker's answer. `accepted`: its head was good; `over`: nothing of it matters any more. */
type PrefillState = "waiting" | "accepted" | "refused" | "over";

/**
 * Both workers at once, as SGLang wants it. The decode worker's answer is the answer; its head waits until the prefill worker has accepted
 * the request, so that a refusal keeps its status. The first of the two to fail ends the other.
 */
export class ConcurrentLegs implements Legs {
  readonly #requests: LegRequests;
  readonly #events: LegEvents;
  #receiver: AnswerReceiver | undefined;
  #prefill: WorkerExchange | undefined;
  #decode: WorkerExchange | undefined;
  #state: PrefillState = "waiting";
  #heldHead: HeldHead | undefined;
  /** What came of the decode worker's answer while its head waits. */
  #heldData: Buffer[] = [];
  #hasDecodeEnded = false;
  #hasContent = false;
  /** Whether the receiver can take no more. */
  #isPaused = false;
  #isOver = false;

  constructor(requests: LegRequests, events: LegEvents) {
    this.#requests = requests;
    this.#events = events;
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
    this.#state = "accepted";
    this.#events.prefillAnswered(this.#requests.prefill.endpoint);
    this.#releaseDecode();
  }

  #prefillData(chunk: Buffer): void {
    if (this.#state === "refused") this.#receiver?.data(chunk);
  }

  #prefillEnd(): void {
    if (this.#state === "refused") this.#receiver?.end();
    else this.#state = "over";
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
    } else this.#receiver?.head(head.status, head.reason, head.rawHeaders);
  }

  #decodeData(chunk: Buffer): void {
    if (this.#heldHead === undefined) this.#receiver?.data(chunk);
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
    this.#receiver?.head(held.status, held.reason, held.rawHeaders);
    for (const chunk of this.#heldData.splice(0)) this.#receiver?.data(chunk);
    if (this.#hasDecodeEnded) this.#finish();
    // Later: undici cannot read on one connection within a call of another's.
    else queueMicrotask(() => this.#resumeDecode());
  }

  #resumeDecode(): void {
    if (!this.#isPaused && !this.#isOver) this.#decode?.resume();
  }

  #finish(): void {
    this.#isOver = true;
    this.#receiver?.end();
  }

  #endPrefill(): void {
    this.#state = "over";
    this.#prefill?.cancel();
  }
}
