import { ModelRestorer } from "../../http/index.ts";
import { type BodyMode, isBuffered } from "./body-mode.ts";
import { HeaderList } from "./header-list.ts";
import type { PickDecision } from "./pick-router.ts";
import type { HttpBody, HttpHeaders, ProcessingResponse } from "./processing-messages.ts";
import { noBody } from "./request-answers.ts";
import { responseHeadersAnswer, sendChangedBody, sendResponseBody } from "./response-answers.ts";

/** Lets a response pass: as it came, or, when the worker was asked for a model by another name, with the client's name of it. */
export class ResponsePass {
  readonly #mode: BodyMode;
  readonly #send: (message: ProcessingResponse) => void;
  /** Undefined = it passes as it came. */
  #restorer: ModelRestorer | undefined;

  constructor(mode: BodyMode, send: (message: ProcessingResponse) => void) {
    this.#mode = mode;
    this.#send = send;
  }

  /** @param servedBy endpoint to name to a conformance test */
  headers(message: HttpHeaders, rewrite: PickDecision["rewrite"], servedBy: string | undefined): void {
    this.#restorer = this.#mode === "none" ? undefined : restorerOf(message, rewrite);
    const isStreamed = this.#mode === "streamed" || this.#mode === "full-duplex-streamed";
    this.#send(responseHeadersAnswer(servedBy, isStreamed && this.#restorer !== undefined));
  }

  body(message: HttpBody): void {
    const restored = this.#restorer?.take(message.body ?? noBody);
    if (restored === undefined) sendResponseBody(message, this.#mode, this.#send);
    else {
      // A buffered body comes in one piece: nothing follows that the picker is shown, though a cut off one, or trailers, do.
      const isLast = message.end_of_stream === true || isBuffered(this.#mode);
      sendChangedBody(message, isLast ? this.#withRest(restored) : restored, this.#mode, this.#send);
    }
  }

  trailers(): void {
    const body = this.#withRest(noBody);
    if (body.length > 0 && this.#mode === "full-duplex-streamed") sendResponseBody({ body }, this.#mode, this.#send);
    this.#send({ response_trailers: {} });
  }

  #withRest(body: Buffer): Buffer {
    const rest = this.#restorer?.rest() ?? noBody;
    return rest.length === 0 ? body : Buffer.concat([body, rest]);
  }
}

/** Bodies that are encoded, or no text, pass as they came. */
function restorerOf({ headers }: HttpHeaders, rewrite: PickDecision["rewrite"]): ModelRestorer | undefined {
  if (rewrite?.requested === undefined) return undefined;
  const list = HeaderList.of(headers);
  const type = list.get("content-type") ?? "";
  const isText = type.includes("json") || type.includes("text/event-stream");
  if (!isText || (list.get("content-encoding") ?? "identity") !== "identity") return undefined;
  return new ModelRestorer(rewrite.target, rewrite.requested);
}
