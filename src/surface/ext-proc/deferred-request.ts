import { forEachChunk, totalBytes } from "./body-chunks.ts";
import { BodyGatherer } from "./body-gatherer.ts";
import type { PickAnswer } from "./pick-answer.ts";
import type { HttpBody } from "./processing-messages.ts";
import { headersAnswer, noBody } from "./request-answers.ts";
import type { RequestPhase, RequestPhaseHost } from "./request-phase.ts";

/**
 * FULL_DUPLEX_STREAMED: nothing is answered before the request has ended; then the headers with the pick, the body in
 * chunks, and the trailers. Envoy loses the body when an end is missing, so exactly one of the answers carries it: the
 * trailers when there are any, else the last chunk.
 */
export class DeferredRequest implements RequestPhase {
  readonly needsLength = false;
  readonly gathersBody = true;
  readonly #host: RequestPhaseHost;
  readonly #gatherer: BodyGatherer;
  #end: "headers" | "body" | "trailers" | undefined;

  constructor(host: RequestPhaseHost, announcedBytes: number | undefined) {
    this.#host = host;
    this.#gatherer = new BodyGatherer(host.pool, announcedBytes);
  }

  headers(isEnd: boolean): void {
    if (isEnd) this.#pick("headers");
  }

  body({ body = noBody, end_of_stream: isEnd = false }: HttpBody): void {
    // Envoy 1.35 and later may deliver the last chunk of a large body twice (envoyproxy/envoy#46237).
    if (this.#end !== undefined) return;
    this.#host.hold(body.length);
    this.#gatherer.add(body);
    if (isEnd) this.#pick("body");
  }

  trailers(): void {
    this.#pick("trailers");
  }

  answer(answer: PickAnswer, counted: () => void): void {
    const written = () => {
      this.#gatherer.release();
      counted();
    };
    const hasChunks = this.#end === "body" || (this.#end === "trailers" && totalBytes(answer.bodyParts) > 0);
    this.#host.send(headersAnswer(answer), this.#end === "headers" ? written : undefined);
    if (hasChunks) this.#sendBody(answer.bodyParts, written);
    if (this.#end === "trailers") this.#host.send({ request_trailers: {} }, written);
  }

  #pick(end: "headers" | "body" | "trailers"): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#host.pick(this.#gatherer.body);
  }

  #sendBody(parts: readonly Buffer[], written: () => void): void {
    const endsHere = this.#end === "body";
    forEachChunk(parts, (body, isLast) => {
      const isEnd = isLast && endsHere;
      this.#host.send(
        { request_body: { response: { body_mutation: { streamed_response: { body, end_of_stream: isEnd } } } } },
        isEnd ? written : undefined,
      );
    });
  }
}
