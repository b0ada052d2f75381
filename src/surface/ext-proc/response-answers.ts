import { forEachChunk } from "./body-chunks.ts";
import { type BodyMode, isBuffered } from "./body-mode.ts";
import { type HttpBody, overwriteHeader, type ProcessingResponse } from "./processing-messages.ts";
import { noBody } from "./request-answers.ts";

const lengthHeader: readonly string[] = ["content-length"];

/**
 * Lets response headers pass.
 * @param servedBy endpoint to name to a conformance test
 * @param dropsLength whether the body will have another length than the one announced
 */
export function responseHeadersAnswer(servedBy: string | undefined, dropsLength = false): ProcessingResponse {
  if (servedBy === undefined && !dropsLength) return { response_headers: {} };
  const header_mutation = {
    ...(servedBy === undefined
      ? {}
      : { set_headers: [overwriteHeader("x-conformance-test-served-endpoint", servedBy)] }),
    ...(dropsLength ? { remove_headers: lengthHeader } : {}),
  };
  return { response_headers: { response: { header_mutation } } };
}

/**
 * Lets a piece of the response's body pass in another form.
 * @param body what the client gets in its place
 * @param rest what it gets behind it, at the response's end
 */
export function sendChangedBody(
  message: HttpBody,
  body: Buffer,
  mode: BodyMode,
  send: (message: ProcessingResponse) => void,
): void {
  if (mode === "full-duplex-streamed") {
    sendResponseBody({ ...message, body }, mode, send);
    return;
  }
  // Envoy refuses a whole body in another length than its header says; behind one that was cut off the rest follows.
  const isCut = mode === "buffered-partial" && message.end_of_stream !== true;
  const length = isCut
    ? { remove_headers: lengthHeader }
    : { set_headers: [overwriteHeader("content-length", String(body.length))] };
  const response = { body_mutation: { body }, ...(isBuffered(mode) ? { header_mutation: length } : {}) };
  send({ response_body: { response } });
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
