import { describe, expect, it } from "vitest";
import type { ProcessingResponse } from "../../../../src/surface/ext-proc/processing-messages.ts";
import {
  BUFFERED,
  BUFFERED_PARTIAL,
  bytesOf,
  FULL_DUPLEX,
  NONE,
  requestBody,
  requestHeaders,
  responseBody,
  responseHeaders,
  responseTrailers,
  STREAMED,
  setHeaders,
  streamedBody,
} from "./messages.ts";
import { SessionWorld, type TestStream } from "./session-harness.ts";

const sent = '{"model":"alias"}';
const rewrite = { body: Buffer.from('{"model":"base"}'), requested: "alias", target: "base" };

async function picked(modes: { request?: number; response?: number } = {}, changes = {}): Promise<TestStream> {
  const world = new SessionWorld();
  world.router.decideAtOnce = () => ({ rewrite, ...changes });
  const stream = world.open();
  const { request: requestMode = FULL_DUPLEX, response: responseMode = FULL_DUPLEX } = modes;
  const headers = { "content-length": String(sent.length) };
  await stream.receive(requestHeaders({ headers, requestMode, responseMode }), requestBody(sent, true));
  return stream;
}

const wholeBody = ({ response_body: body }: ProcessingResponse) => {
  const mutation = body?.response?.body_mutation;
  return mutation !== undefined && "body" in mutation ? bytesOf(mutation.body).toString() : undefined;
};

describe("a request whose model goes on under another name", () => {
  it("goes on with the changed body, and its length", async () => {
    const { answers } = await picked();
    expect(streamedBody(answers, "request_body").toString()).toBe('{"model":"base"}');
    expect(setHeaders(answers[0])["content-length"]).toBe("16");
  });

  it("goes on changed in a buffered body", async () => {
    const { answers } = await picked({ request: BUFFERED });
    const mutation = answers.at(-1)?.request_body?.response?.body_mutation;
    expect(mutation && "body" in mutation && bytesOf(mutation.body).toString()).toBe('{"model":"base"}');
    expect(setHeaders(answers.at(-1))["content-length"]).toBe("16");
  });

  it("has the router's change made to the changed body", async () => {
    const bodyEdit = { offset: 15, deleteBytes: 0, insert: [Buffer.from(',"n":1')] };
    const { answers } = await picked({}, { bodyEdit });
    expect(streamedBody(answers, "request_body").toString()).toBe('{"model":"base","n":1}');
  });
});

describe("its response", () => {
  it("has the client's name of the model, however it is cut, and no length of its own", async () => {
    const stream = await picked();
    stream.answers.length = 0;
    await stream.receive(
      responseHeaders(),
      responseBody('data: {"mod'),
      responseBody('el":"ba'),
      responseBody('se"}\n\n', true),
    );
    expect(streamedBody(stream.answers, "response_body").toString()).toBe('data: {"model":"alias"}\n\n');
    expect(stream.answers[0]?.response_headers?.response?.header_mutation?.remove_headers).toEqual(["content-length"]);
  });

  it("loses no byte that waited for its rest", async () => {
    const stream = await picked();
    stream.answers.length = 0;
    await stream.receive(responseHeaders(), responseBody('x"mod'), responseTrailers);
    expect(streamedBody(stream.answers, "response_body").toString()).toBe('x"mod');
    expect(stream.answers.at(-1)).toEqual({ response_trailers: {} });
  });

  it("is changed piece by piece in STREAMED mode", async () => {
    const stream = await picked({ response: STREAMED });
    stream.answers.length = 0;
    await stream.receive(responseHeaders(), responseBody('{"mod'), responseBody('el":"base"}', true));
    expect(stream.answers.slice(1).map(wholeBody)).toEqual(["{", '"model":"alias"}']);
  });

  it("has its new length in BUFFERED mode", async () => {
    const stream = await picked({ response: BUFFERED });
    stream.answers.length = 0;
    await stream.receive(responseHeaders(), responseBody('{"model":"base"}', true));
    expect(wholeBody(stream.answers[1] ?? {})).toBe('{"model":"alias"}');
    const mutation = stream.answers[1]?.response_body?.response?.header_mutation;
    expect(mutation?.set_headers?.map(({ header }) => `${header.key} ${header.raw_value}`)).toEqual([
      "content-length 17",
    ]);
  });

  it.each([
    { name: "a body that trailers follow", response: BUFFERED, removed: undefined },
    { name: "the beginning of a body that is too long", response: BUFFERED_PARTIAL, removed: ["content-length"] },
  ])("loses no byte of $name, which is all that is shown of it", async ({ response, removed }) => {
    const stream = await picked({ response });
    stream.answers.length = 0;
    await stream.receive(responseHeaders(), responseBody('{"model":"base","text":"'));
    expect(wholeBody(stream.answers[1] ?? {})).toBe('{"model":"alias","text":"');
    const mutation = stream.answers[1]?.response_body?.response?.header_mutation;
    expect(mutation?.remove_headers).toEqual(removed);
    // What follows the beginning counts for the length as well.
    expect(mutation?.set_headers?.length).toBe(removed === undefined ? 1 : undefined);
  });

  it.each([
    { name: "it is encoded", headers: { "content-encoding": "gzip" }, response: FULL_DUPLEX },
    { name: "it is no text", headers: { "content-type": "image/png" }, response: FULL_DUPLEX },
  ])("passes as it came when $name", async ({ headers, response }) => {
    const stream = await picked({ response });
    stream.answers.length = 0;
    await stream.receive(responseHeaders(headers), responseBody('{"model":"base"}', true));
    expect(streamedBody(stream.answers, "response_body").toString()).toBe('{"model":"base"}');
    expect(stream.answers[0]).toEqual({ response_headers: {} });
  });

  it("passes as it came where bodies are not shown", async () => {
    const stream = await picked({ response: NONE });
    stream.answers.length = 0;
    await stream.receive(responseHeaders());
    expect(stream.answers).toEqual([{ response_headers: {} }]);
  });

  it("passes as it came when the client named no model", async () => {
    const stream = await picked({}, { rewrite: { ...rewrite, requested: undefined } });
    stream.answers.length = 0;
    await stream.receive(responseHeaders(), responseBody('{"model":"base"}', true));
    expect(streamedBody(stream.answers, "response_body").toString()).toBe('{"model":"base"}');
  });
});
