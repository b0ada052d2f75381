import type { PickAnswer } from "./pick-answer.ts";
import type { ProcessingResponse } from "./processing-messages.ts";
import { headersAnswer } from "./request-answers.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";

/**
 * NONE and STREAMED: the headers leave before the body is known, so the request is placed by load and its body passes
 * unchanged.
 */
export class HeadersRequest implements RequestPhase {
  readonly needsLength = false;
  readonly gathersBody = false;
  readonly #host: RequestPhaseHost;
  #isAnswered = false;
  /** Answers that have to wait for the headers': Envoy refuses them in another order. */
  #owed: ProcessingResponse[] = [];

  constructor(host: RequestPhaseHost) {
    this.#host = host;
  }

  headers(): void {
    this.#host.pick(undefined);
  }

  body(): void {
    this.#pass({ request_body: {} });
  }

  trailers(): void {
    this.#pass({ request_trailers: {} });
  }

  answer(answer: PickAnswer, written: () => void): void {
    this.#isAnswered = true;
    this.#host.send(headersAnswer(answer), written);
    for (const message of this.#owed) this.#host.send(message);
    this.#owed = [];
  }

  #pass(message: ProcessingResponse): void {
    if (this.#isAnswered) this.#host.send(message);
    else this.#owed.push(message);
  }
}
