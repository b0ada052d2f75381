import { describe, expect, it } from "vitest";
import {
  removedHeaders,
  requestBody,
  requestHeaders,
  requestTrailers,
  setHeaders,
  shapes,
  streamedBody,
} from "./messages.ts";
import { SessionWorld } from "./session-harness.ts";

const insert = { bodyEdit: { offset: 1, deleteBytes: 0, insert: [Buffer.from('"n":1,')] } };

describe("a request in FULL_DUPLEX_STREAMED mode", () => {
  it("is answered only after its end: headers with the pick, then the body with one end", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody('{"a"'), requestBody(":1}"));
    expect(stream.answers).toEqual([]);
    await stream.receive(requestBody("", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 7 end"]);
    expect(world.router.request.body.toString()).toBe('{"a":1}');
    expect(world.router.request.path).toBe("/v1/chat/completions");
  });

  it("names the destination in header and metadata, and has the route looked up again", async () => {
    const world = new SessionWorld();
    world.router.decide = async () => ({
      endpoint: "[fd00::1]:8000",
      fallbacks: ["10.0.0.2:8000"],
      headers: [["x-dynamo-dp-rank", "3"]],
    });
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true));
    const [answer] = stream.answers;
    const destination = "[fd00::1]:8000,10.0.0.2:8000";
    expect(setHeaders(answer)).toEqual({ "x-gateway-destination-endpoint": destination, "x-dynamo-dp-rank": "3" });
    const options = answer?.request_headers?.response?.header_mutation?.set_headers ?? [];
    expect(options.map((option) => option.append_action)).toEqual([2, 2]);
    expect(answer?.request_headers?.response?.clear_route_cache).toBe(true);
    expect(answer?.dynamic_metadata).toEqual({
      fields: {
        "envoy.lb": { structValue: { fields: { "x-gateway-destination-endpoint": { stringValue: destination } } } },
      },
    });
    expect(removedHeaders(answer)).toContain("x-dp-rank");
    expect(removedHeaders(answer)).not.toContain("x-dynamo-dp-rank");
  });

  it("carries the changed body in chunks of at most 62,000 bytes", async () => {
    const world = new SessionWorld();
    world.router.decide = async () => insert;
    const stream = world.open();
    const tail = "x".repeat(130_000);
    await stream.receive(requestHeaders(), requestBody(`{${tail}`, true));
    expect(shapes(stream.answers).slice(1)).toEqual([
      "request_body 62000",
      "request_body 62000",
      "request_body 6007 end",
    ]);
    expect(streamedBody(stream.answers, "request_body").toString()).toBe(`{"n":1,${tail}`);
  });

  it.each([
    { name: "sets content-length when it was announced", headers: { "content-length": "2" }, length: "8" },
    { name: "sets none when there was none", headers: {}, length: undefined },
  ])("with a changed body $name", async ({ headers, length }) => {
    const world = new SessionWorld();
    world.router.decide = async () => insert;
    const stream = world.open();
    await stream.receive(requestHeaders({ headers }), requestBody("{}", true));
    expect(setHeaders(stream.answers[0])["content-length"]).toBe(length);
  });

  it("leaves content-length alone when the body is not changed", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders({ headers: { "content-length": "2" } }), requestBody("{}", true));
    expect(setHeaders(stream.answers[0])).not.toHaveProperty("content-length");
  });

  it("ends with the trailers when there are any, and then never on the body", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders(), requestBody("{}"), requestTrailers);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 2", "request_trailers"]);
  });

  it("answers trailers without a body", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders(), requestTrailers);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_trailers"]);
  });

  it("answers an empty body with one empty chunk that ends", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), { request_body: { end_of_stream: true } });
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 0 end"]);
    expect(world.router.request.body.length).toBe(0);
  });

  it("answers a request of only headers with headers", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders({ isEnd: true }));
    expect(shapes(stream.answers)).toEqual(["request_headers"]);
    expect(setHeaders(stream.answers[0])).toHaveProperty("x-gateway-destination-endpoint");
  });

  it("ignores a last chunk that is delivered twice", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true), requestBody("{}", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 2 end"]);
    expect(world.telemetry.totals.bodyBytes).toBe(2);
    stream.unwritten.forEach((written) => void written());
    expect(world.telemetry.totals.bodyBytes).toBe(0);
  });

  it("is the mode of a gateway that does not tell its modes", async () => {
    const stream = new SessionWorld().open();
    const { protocol_config: _, ...untold } = requestHeaders();
    await stream.receive(untold, requestBody("{}", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 2 end"]);
  });

  it("does not forward an x-request-id of its own when told so", async () => {
    const stream = new SessionWorld({ forwardGeneratedRequestId: false }).open();
    await stream.receive(requestHeaders({ headers: { "x-request-id": "" } }), requestBody("{}", true));
    expect(setHeaders(stream.answers[0])).not.toHaveProperty("x-request-id");
  });

  it.each([
    { name: "creates x-request-id when absent", id: "", made: true },
    { name: "keeps the client's x-request-id", id: "r1", made: false },
  ])("$name", async ({ id, made }) => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders({ headers: { "x-request-id": id } }), requestBody("{}", true));
    const set = setHeaders(stream.answers[0])["x-request-id"];
    if (made) expect(set).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    else expect(set).toBeUndefined();
  });
});
