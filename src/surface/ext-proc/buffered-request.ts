import { BodyGatherer } from "./body-gatherer.ts";
import { OwedAnswers } from "./owed-answers.ts";
import type { PickAnswer } from "./pick-answer.ts";
import type { CommonResponse, HttpBody } from "./processing-messages.ts";
import { headersAnswer, noBody, pickResponse } from "./request-answers.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";

/** Most answers that wait for a pick. Envoy sends two messages at the most behind the one that is picked on: a body, and trailers. */
const maxOwed = 64;

/**
 * BUFFERED: Envoy holds the headers until it has the whole body, but wants them answered at once (message_timeout, 200 ms
 * by default), so the pick rides on the answer to the body. In BUFFERED_PARTIAL a body that did not fit arrives cut off:
 * such a request is placed by load and its body left alone.
 */
export class BufferedRequest implements RequestPhase {
  readonly needsLength = true;
  readonly gathersBody = true;
  readonly #host: RequestPhaseHost;
  readonly #isAlwaysWhole: boolean;
  readonly #gatherer: BodyGatherer;
  #pickedOn: "headers" | "body" | "trailers" | undefined;
  readonly #owed: OwedAnswers;

  /** @param isAlwaysWhole whether the one body message holds the whole body even without its end (trailers follow) */
  constructor(host: RequestPhaseHost, isAlwaysWhole: boolean) {
    this.#host = host;
    this.#owed = new OwedAnswers((message) => host.send(message), maxOwed);
    this.#gatherer = new BodyGatherer(host.pool, undefined);
    this.#isAlwaysWhole = isAlwaysWhole;
  }

  headers(isEnd: boolean): void {
    if (isEnd) this.#pick("headers", noBody);
    else this.#host.send({ request_headers: {} });
  }

  body({ body = noBody, end_of_stream: isEnd = false }: HttpBody): void {
    if (this.#pickedOn !== undefined) {
      this.#owed.pass({ request_body: {} });
      return;
    }
    this.#host.hold(body.length);
    const isWhole = isEnd || this.#isAlwaysWhole;
    if (isWhole) this.#gatherer.add(body);
    this.#pick("body", isWhole ? this.#gatherer.body : undefined);
  }

  trailers(): void {
    if (this.#pickedOn === undefined) this.#pick("trailers", noBody);
    else this.#owed.pass({ request_trailers: {} });
  }

  answer(answer: PickAnswer, counted: () => void): void {
    const written = () => {
      this.#gatherer.release();
      counted();
    };
    if (this.#pickedOn === "headers") this.#host.send(headersAnswer(answer), written);
    else if (this.#pickedOn === "body") this.#sendBody(answer, written);
    // No body message came, so only the metadata can still tell the destination.
    else this.#host.send({ request_trailers: {}, dynamic_metadata: answer.dynamicMetadata }, written);
    this.#owed.open();
  }

  #pick(on: "headers" | "body" | "trailers", body: Buffer | undefined): void {
    this.#pickedOn = on;
    this.#host.pick(body);
  }

  #sendBody(answer: PickAnswer, written: () => void): void {
    const response: CommonResponse = answer.isBodyChanged
      ? { ...pickResponse(answer), body_mutation: { body: answer.bodyParts } }
      : pickResponse(answer);
    this.#host.send({ request_body: { response }, dynamic_metadata: answer.dynamicMetadata }, written);
  }
}
