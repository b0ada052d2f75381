import { forEachChunk } from "./body-chunks.ts";
import type { BodyMode } from "./body-mode.ts";
import { type HttpBody, overwriteHeader, type ProcessingResponse } from "./processing-messages.ts";
import { noBody } from "./request-answers.ts";

/** Lets response headers pass. @param servedBy endpoint to name to a conformance test */
export function responseHeadersAnswer(servedBy: string | undefined): ProcessingResponse {
  if (servedBy === undefined) return { response_headers: {} };
  const header = overwriteHeader("x-conformance-test-served-endpoint", servedBy);
  return { response_headers: { response: { header_mutation: { set_headers: [header] } } } };
}

/** Lets a piece of the response's body pass: echoed in full duplex, where an empty answer is HTTP 500; else untouched. */
export function sendResponseBody(message: HttpBody, mode: BodyMode, send: (message: ProcessingResponse) => void): void {
  if (mode !== "full-duplex-streamed") {
    send({ response_body: {} });
    return;
  }
  forEachChunk([message.body ?? noBody], (body, isLast) => {
    const end_of_stream = isLast && message.end_of_stream === true;
    send({ response_body: { response: { body_mutation: { streamed_response: { body, end_of_stream } } } } });
  });
}
