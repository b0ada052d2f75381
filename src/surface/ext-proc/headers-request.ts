import { OwedAnswers } from "./owed-answers.ts";
import type { PickAnswer } from "./pick-answer.ts";
import { headersAnswer } from "./request-answers.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";

/** Most answers that wait for a pick: those to the pieces of a body, of 256 MB and more in pieces of 64 KB. */
const maxOwed = 4_096;

/**
 * NONE and STREAMED: the headers leave before the body is known, so the request is placed by load and its body passes
 * unchanged.
 */
export class HeadersRequest implements RequestPhase {
  readonly needsLength = false;
  readonly gathersBody = false;
  readonly #host: RequestPhaseHost;
  readonly #owed: OwedAnswers;

  constructor(host: RequestPhaseHost) {
    this.#host = host;
    this.#owed = new OwedAnswers((message) => host.send(message), maxOwed);
  }

  headers(): void {
    this.#host.pick(undefined);
  }

  body(): void {
    this.#owed.pass({ request_body: {} });
  }

  trailers(): void {
    this.#owed.pass({ request_trailers: {} });
  }

  answer(answer: PickAnswer, written: () => void): void {
    this.#host.send(headersAnswer(answer), written);
    this.#owed.open();
  }
}
