import { type AnswerReceiver, DispatchError, type WorkerExchange } from "../../../dispatch/index.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { isSuccess, type LegEvents, type LegRequests, type Legs, withoutPlaces } from "./legs.ts";

/** What the prefill worker's answer means for the decode worker. */
export interface SequentialSteps extends LegEvents {
  /** The body for the decode worker, given the prefill worker's whole answer. */
  decodeBody(prefillAnswer: Buffer): Buffer;
}

/** One worker after the other, as vLLM's connectors want it: the prefill worker's answer is asked for first, and tells the decode worker where the blocks are. */
export class SequentialLegs implements Legs {
  readonly #requests: LegRequests;
  readonly #steps: SequentialSteps;
  readonly #maxAnswerBytes: number;
  #dispatcher: Dispatcher | undefined;
  #receiver: AnswerReceiver | undefined;
  #current: WorkerExchange | undefined;
  #isDecoding = false;
  #isRefused = false;
  #isOver = false;
  #answer: Buffer[] = [];
  #answerBytes = 0;

  /** @param maxAnswerBytes of the prefill worker's answer */
  constructor(requests: LegRequests, steps: SequentialSteps, maxAnswerBytes: number) {
    this.#requests = requests;
    this.#steps = steps;
    this.#maxAnswerBytes = maxAnswerBytes;
  }

  get prefilling(): string {
    return this.#requests.prefill.endpoint;
  }

  get answering(): string {
    return this.#isDecoding ? this.#requests.decode.endpoint : this.#requests.prefill.endpoint;
  }

  send(dispatcher: Dispatcher, receiver: AnswerReceiver): void {
    this.#dispatcher = dispatcher;
    this.#receiver = receiver;
    const exchange = dispatcher.send(this.#requests.prefill, {
      head: (status, reason, rawHeaders) => {
        this.#isRefused = !isSuccess(status);
        if (this.#isRefused) receiver.head(status, reason, withoutPlaces(rawHeaders));
      },
      data: (chunk) => this.#prefillData(chunk),
      end: () => this.#prefillEnd(),
      failed: (error) => this.#fail(error),
    });
    // It may have failed by now.
    if (!this.#isDecoding) this.#current = exchange;
  }

  contentBegan(): void {
    // The prefill worker has ended long before.
  }

  pause(): void {
    this.#current?.pause();
  }

  resume(): void {
    this.#current?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#current?.cancel();
  }

  #prefillData(chunk: Buffer): void {
    if (this.#isRefused) {
      this.#receiver?.data(chunk);
      return;
    }
    this.#answer.push(chunk);
    this.#answerBytes += chunk.length;
    if (this.#answerBytes <= this.#maxAnswerBytes) return;
    this.#current?.cancel();
    this.#fail(new DispatchError("malformed"));
  }

  #prefillEnd(): void {
    if (this.#isRefused) {
      this.#receiver?.end();
      return;
    }
    if (this.#isOver) return;
    this.#steps.prefillAnswered(this.#requests.prefill.endpoint);
    const body = this.#steps.decodeBody(Buffer.concat(this.#answer.splice(0)));
    this.#isDecoding = true;
    const exchange = this.#dispatcher?.send({ ...this.#requests.decode, body }, this.#decodeReceiver());
    this.#current = exchange;
    if (this.#isOver) exchange?.cancel();
  }

  #decodeReceiver(): AnswerReceiver {
    return {
      head: (status, reason, rawHeaders) => this.#receiver?.head(status, reason, rawHeaders),
      data: (chunk) => this.#receiver?.data(chunk),
      end: () => this.#receiver?.end(),
      failed: (error) => this.#fail(error),
    };
  }

  #fail(error: DispatchError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#receiver?.failed(error);
  }
}
