import { describe, expect, it } from "vitest";
import {
  BUFFERED,
  BUFFERED_PARTIAL,
  NONE,
  requestBody,
  requestHeaders,
  requestTrailers,
  STREAMED,
  setHeaders,
  shapes,
} from "./messages.ts";
import { SessionWorld, settle } from "./session-harness.ts";

const insert = { bodyEdit: { offset: 1, deleteBytes: 0, insert: [Buffer.from('"n":1,')] } };
const modes = { requestMode: BUFFERED, responseMode: STREAMED };

describe("a request in BUFFERED mode", () => {
  it("has its headers let through at once and the pick on its body", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(modes));
    expect(stream.answers).toEqual([{ request_headers: {} }]);
    await stream.receive(requestBody('{"a":1}', true));
    const [, answer] = stream.answers;
    expect(setHeaders(answer)).toEqual({ "x-gateway-destination-endpoint": "10.0.0.1:8000" });
    expect(answer?.request_body?.response).toMatchObject({ clear_route_cache: true });
    expect(answer?.request_body?.response).not.toHaveProperty("body_mutation");
    expect(answer?.dynamic_metadata).toBeDefined();
    expect(world.router.request.body.toString()).toBe('{"a":1}');
  });

  it("carries a changed body whole, with its content-length even when none was announced", async () => {
    const world = new SessionWorld();
    world.router.decide = async () => insert;
    const stream = world.open();
    await stream.receive(requestHeaders(modes), requestBody("{}", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 8 whole"]);
    expect(setHeaders(stream.answers[1])["content-length"]).toBe("8");
  });

  it("is picked on a body that does not end because trailers follow", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders(modes), requestBody("{}"), requestTrailers);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_trailers"]);
    expect(setHeaders(stream.answers[1])).toHaveProperty("x-gateway-destination-endpoint");
  });

  it("answers a body behind headers that were the end after the pick", async () => {
    const world = new SessionWorld();
    let release = () => {};
    world.router.decide = () => new Promise((resolve) => (release = () => resolve({})));
    const stream = world.open();
    await stream.receive(requestHeaders({ ...modes, isEnd: true }), requestBody(""), requestTrailers);
    expect(stream.answers).toEqual([]);
    release();
    await settle();
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_trailers"]);
  });

  it("is refused when the gateway sends ever more behind the end of a request that is being placed", async () => {
    const world = new SessionWorld();
    world.router.decide = () => new Promise(() => {});
    const stream = world.open();
    await stream.receive(requestHeaders({ ...modes, isEnd: true }));
    for (let count = 0; count < 64; count++) await stream.receive(requestBody(""));
    expect(stream.answers).toEqual([]);
    await stream.receive(requestBody(""));
    expect(shapes(stream.answers)).toEqual(["immediate_response"]);
    expect(stream.isEnded).toBe(true);
  });

  it("answers trailers after the body, also when they come while the router is choosing", async () => {
    const world = new SessionWorld();
    let release = () => {};
    world.router.decide = () => new Promise((resolve) => (release = () => resolve({})));
    const stream = world.open();
    await stream.receive(requestHeaders(modes), requestBody("{}"), requestTrailers);
    expect(shapes(stream.answers)).toEqual(["request_headers"]);
    release();
    await settle();
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_trailers"]);
  });

  it("names the destination in metadata when only trailers came", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders(modes), requestTrailers);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_trailers"]);
    expect(stream.answers[1]?.dynamic_metadata).toBeDefined();
  });

  it("answers a request of only headers with the pick", async () => {
    const stream = new SessionWorld().open();
    await stream.receive(requestHeaders({ ...modes, isEnd: true }));
    expect(shapes(stream.answers)).toEqual(["request_headers"]);
    expect(setHeaders(stream.answers[0])).toHaveProperty("x-gateway-destination-endpoint");
  });
});

describe("a request in STREAMED mode", () => {
  it("is refused when the gateway sends ever more of a body while the request is placed by its headers", async () => {
    const world = new SessionWorld();
    world.router.decide = () => new Promise(() => {});
    const stream = world.open();
    await stream.receive(requestHeaders({ requestMode: STREAMED, responseMode: STREAMED }));
    for (let count = 0; count < 4_096; count++) await stream.receive(requestBody("x"));
    expect(stream.answers).toEqual([]);
    await stream.receive(requestBody("x"));
    expect(shapes(stream.answers)).toEqual(["immediate_response"]);
    expect(stream.isEnded).toBe(true);
  });
});

describe("a request in BUFFERED_PARTIAL mode", () => {
  const partial = { requestMode: BUFFERED_PARTIAL, responseMode: STREAMED };

  it("is placed by its body when the body came whole", async () => {
    const world = new SessionWorld();
    await world.open().receive(requestHeaders(partial), requestBody("{}", true));
    expect(world.router.request.body.toString()).toBe("{}");
  });

  it("is placed by load when the body is cut off, and the rest passes", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(partial), requestBody('{"a"'), requestBody(":1}", true));
    expect([world.router.request.body.length, world.router.request.path]).toEqual([0, undefined]);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_body"]);
    expect(setHeaders(stream.answers[1])).toHaveProperty("x-gateway-destination-endpoint");
  });
});

describe.each([
  { name: "STREAMED", requestMode: STREAMED },
  { name: "NONE", requestMode: NONE },
  { name: "an unknown", requestMode: 5 },
])("a request in $name mode", ({ requestMode }) => {
  it("is placed by load on its headers, and whatever follows passes", async () => {
    const world = new SessionWorld();
    world.router.decide = async () => insert;
    const stream = world.open();
    await stream.receive(requestHeaders({ requestMode }), requestBody("{"), requestBody("}"), requestTrailers);
    expect([world.router.request.body.length, world.router.request.path]).toEqual([0, undefined]);
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_body", "request_trailers"]);
    expect(setHeaders(stream.answers[0])).toHaveProperty("x-gateway-destination-endpoint");
  });

  it("answers early body chunks after the headers", async () => {
    const world = new SessionWorld();
    let release = () => {};
    world.router.decide = () => new Promise((resolve) => (release = () => resolve({})));
    const stream = world.open();
    await stream.receive(requestHeaders({ requestMode }), requestBody("{"));
    expect(stream.answers).toEqual([]);
    release();
    await stream.receive(requestBody("}", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body", "request_body"]);
  });
});

it("obeys modes that the operator fixed", async () => {
  const stream = new SessionWorld({ requestBodyMode: "buffered" }).open();
  await stream.receive(requestHeaders());
  expect(stream.answers).toEqual([{ request_headers: {} }]);
});
