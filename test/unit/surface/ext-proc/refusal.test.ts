import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../../src/errors/index.ts";
import {
  BUFFERED,
  errorOf,
  FULL_DUPLEX,
  requestBody,
  requestHeaders,
  requestTrailers,
  responseBody,
  responseHeaders,
  STREAMED,
  setHeaders,
  shapes,
} from "./messages.ts";
import { SessionWorld, settle } from "./session-harness.ts";

const never = () => new Promise<never>(() => {});

describe("a refusal", () => {
  it.each([
    { name: "by the router", error: new RoutingError("bad", { code: "invalid_request", field: "model" }), status: 400 },
    { name: "for want of workers", error: new RoutingError("none", { code: "no_endpoints" }), status: 503 },
    { name: "of an unexpected kind", error: new TypeError("secret"), status: 500 },
  ])("$name is the client's answer, and the stream ends", async ({ error, status }) => {
    for (const requestMode of [FULL_DUPLEX, BUFFERED, STREAMED]) {
      const world = new SessionWorld();
      world.router.decide = () => Promise.reject(error);
      const stream = world.open();
      await stream.receive(requestHeaders({ requestMode }), requestBody("{}", true), requestBody("late", true));
      expect(stream.answers.at(-1)?.immediate_response?.status.code).toBe(status);
      expect(stream.answers.at(-1)?.immediate_response?.body.toString()).not.toContain("secret");
      expect(stream.isEnded).toBe(true);
      expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
    }
  });

  it("logs the cause of an unexpected failure and nothing of the request's text", async () => {
    const world = new SessionWorld();
    const cause = new TypeError("secret");
    world.router.decide = () => Promise.reject(cause);
    await world.open().receive(requestHeaders(), requestBody('{"prompt":"private"}', true));
    expect(world.logger.lines).toMatchObject([{ level: "error", fields: { err: cause, requestId: "r1" } }]);
    expect(JSON.stringify(world.logger.lines)).not.toContain("private");
  });

  it.each([
    { name: "request headers", messages: [requestHeaders()] },
    { name: "request body", messages: [requestHeaders(), requestBody("{")] },
    { name: "request trailers", messages: [requestHeaders(), requestBody("{}"), requestTrailers] },
    { name: "response headers", messages: [requestHeaders(), requestBody("{}", true), responseHeaders()] },
    {
      name: "response body",
      messages: [requestHeaders(), requestBody("{}", true), responseHeaders(), responseBody("x")],
    },
  ])("is possible after $name, and nothing is written afterwards", async ({ messages }) => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(...messages);
    stream.session.refuse(new RoutingError("evicted", { code: "saturated" }));
    expect(errorOf(stream.answers.at(-1))).toMatchObject({ code: "saturated" });
    const count = stream.answers.length;
    await stream.receive(requestBody("}", true), responseHeaders(), responseBody("y", true));
    stream.session.refuse(new RoutingError("again", { code: "saturated" }));
    stream.session.peerLeft();
    expect(stream.answers.length).toBe(count);
    expect(world.router.reservations.every(({ isReleased }) => isReleased)).toBe(true);
    expect(world.telemetry.aborts).toEqual([]);
  });
});

describe("limits", () => {
  it.each([
    { name: "by content-length, before any of it came", headers: { "content-length": "11" }, body: undefined },
    { name: "as soon as it is exceeded", headers: {}, body: "12345678901" },
  ])("refuse a body $name with 413", async ({ headers, body }) => {
    for (const requestMode of [FULL_DUPLEX, BUFFERED]) {
      const world = new SessionWorld({ maxBodyBytes: 10 });
      const stream = world.open();
      await stream.receive(requestHeaders({ headers, requestMode }));
      if (body !== undefined) await stream.receive(requestBody(body));
      expect(errorOf(stream.answers.at(-1))).toMatchObject({ code: "body_too_large" });
      expect(world.router.requests).toEqual([]);
      expect(world.telemetry.totals.bodyBytes).toBe(0);
    }
  });

  it("let a body of exactly the limit pass", async () => {
    const world = new SessionWorld({ maxBodyBytes: 10 });
    const stream = world.open();
    await stream.receive(requestHeaders({ headers: { "content-length": "10" } }), requestBody("1234567890", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 10 end"]);
  });

  it("do not count bodies that only pass", async () => {
    const world = new SessionWorld({ maxBodyBytes: 10 });
    const stream = world.open();
    const headers = { "content-length": "11" };
    await stream.receive(requestHeaders({ headers, requestMode: STREAMED }), requestBody("12345678901", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body"]);
  });

  it("refuse with 429 and Retry-After when too many requests wait, before their bodies come", async () => {
    const world = new SessionWorld({ maxPicksInFlight: 1, retryAfterSeconds: 3 });
    const first = world.open();
    await first.receive(requestHeaders());
    const second = world.open();
    await second.receive(requestHeaders());
    expect(errorOf(second.answers[0])).toMatchObject({ code: "saturated" });
    expect(setHeaders(second.answers[0])).toMatchObject({ "retry-after": "3" });
    await first.receive(requestBody("{}", true));
    const third = world.open();
    await third.receive(requestHeaders());
    expect(third.answers).toEqual([]);
  });

  it("refuse with 429 when the bodies held exceed their sum", async () => {
    const world = new SessionWorld({ maxBodyBytesInFlight: 10 });
    const first = world.open();
    await first.receive(requestHeaders(), requestBody("123456"));
    const second = world.open();
    await second.receive(requestHeaders(), requestBody("12345"));
    expect(errorOf(second.answers[0])).toMatchObject({ code: "saturated" });
    expect(world.telemetry.totals).toEqual({ streams: 1, picks: 1, bodyBytes: 6 });
  });

  it("hold a body until the gateway has it back", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true));
    expect(world.telemetry.totals).toEqual({ streams: 1, picks: 0, bodyBytes: 2 });
    for (const written of stream.unwritten) written();
    expect(world.telemetry.totals.bodyBytes).toBe(0);
  });

  it("refuse a pick at its deadline, not before, and tell the router", async () => {
    const world = new SessionWorld({ pickDeadlineMs: 100 });
    world.router.decide = never;
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true));
    world.clock.advance(99);
    expect(stream.answers).toEqual([]);
    world.clock.advance(1);
    expect(errorOf(stream.answers[0])).toMatchObject({ code: "deadline_exceeded" });
    expect(world.router.signals[0]?.aborted).toBe(true);
  });

  it("leave no timer behind", async () => {
    const world = new SessionWorld();
    await world.open().receive(requestHeaders(), requestBody("{}", true));
    expect(world.clock.timers).toBe(0);
  });

  it("refuse new requests while draining, and let open ones finish", async () => {
    const world = new SessionWorld();
    const open = world.open();
    await open.receive(requestHeaders());
    world.admission.refuseNew();
    const late = world.open();
    await late.receive(requestHeaders());
    expect(errorOf(late.answers[0])).toMatchObject({ code: "shutting_down" });
    await open.receive(requestBody("{}", true));
    expect(shapes(open.answers)).toEqual(["request_headers", "request_body 2 end"]);
  });
});

describe("a client that leaves", () => {
  it("while the router is choosing frees its place, and a decision that comes later is given back", async () => {
    const world = new SessionWorld();
    let decide = () => {};
    world.router.decide = () => new Promise((resolve) => (decide = () => resolve({})));
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true));
    stream.session.peerLeft();
    expect(world.router.signals[0]?.aborted).toBe(true);
    expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
    expect(world.telemetry.aborts).toEqual(["pick"]);
    decide();
    await settle();
    expect(world.router.reservation.calls).toEqual(["release"]);
    expect(stream.answers).toEqual([]);
    expect(world.clock.timers).toBe(0);
  });

  it.each([
    { name: "request", messages: [requestHeaders(), requestBody("{")] },
    { name: "upstream", messages: [requestHeaders(), requestBody("{}", true)] },
    {
      name: "response",
      messages: [requestHeaders(), requestBody("{}", true), responseHeaders(), responseBody("x")],
    },
  ])("in the $name phase is counted once and its load freed", async ({ name, messages }) => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(...messages);
    stream.session.peerLeft();
    stream.session.peerLeft();
    expect(world.telemetry.aborts).toEqual([name]);
    expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
    expect(world.router.reservations.every(({ isReleased }) => isReleased)).toBe(true);
  });

  it("after the end of the response has not left", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true), responseHeaders(), responseBody("x", true));
    stream.session.peerLeft();
    expect(world.telemetry.aborts).toEqual([]);
    expect(world.telemetry.totals.streams).toBe(0);
  });
});

describe("a gateway that answers itself, by its timeout or another filter,", () => {
  it.each([
    { phase: "request", messages: [requestHeaders(), requestBody("{")] },
    { phase: "pick", messages: [requestHeaders(), requestBody("{}", true)] },
  ])("in the $phase phase has its answer passed, and nothing is placed any more", async ({ phase, messages }) => {
    const world = new SessionWorld();
    let refuse = () => {};
    world.router.decide = () => new Promise((_, reject) => (refuse = () => reject(new Error("too late"))));
    const stream = world.open();
    await stream.receive(...messages, responseHeaders({ ":status": "504" }), responseBody("late", true));
    expect(world.telemetry.totals).toEqual({ streams: 1, picks: 0, bodyBytes: 0 });
    expect(world.telemetry.aborts).toEqual([phase]);
    refuse();
    await stream.receive(requestBody("}", true), requestTrailers);
    stream.session.peerLeft();
    expect(shapes(stream.answers)).toEqual(["response_headers", "response_body 4 end"]);
    expect(world.telemetry.aborts).toEqual([phase]);
    expect(world.logger.lines).toEqual([]);
  });

  it("gets no pick behind its answer, and what was booked is given back", async () => {
    const world = new SessionWorld();
    let decide = () => {};
    world.router.decide = () => new Promise((resolve) => (decide = () => resolve({})));
    const stream = world.open();
    await stream.receive(requestHeaders({ isEnd: true }), responseHeaders({ ":status": "504" }, true));
    expect(world.router.signals[0]?.aborted).toBe(true);
    decide();
    await settle();
    expect(shapes(stream.answers)).toEqual(["response_headers"]);
    expect(world.router.reservation.calls).toEqual(["release"]);
  });
});

it("hands the router the headers, the subset hint and the client's standing", async () => {
  const world = new SessionWorld({ trustClient: true });
  const subset = { listValue: { values: [{ stringValue: "10.0.0.1:8000" }] }, kind: "listValue" };
  const metadata_context = {
    filter_metadata: { "envoy.lb.subset_hint": { fields: { "x-gateway-destination-endpoint-subset": subset } } },
  };
  const headers = { "X-Tenant-Id": "t", ":path": "/v1/responses?x=1" };
  await world.open().receive({ ...requestHeaders({ headers, isEnd: true }), metadata_context });
  const { request } = world.router;
  expect(request.headers.get("x-tenant-id")).toBe("t");
  expect(request.headers.getAll("x-tenant-id")).toEqual(["t"]);
  expect(request.headers.get("absent")).toBeUndefined();
  expect(request).toMatchObject({ path: "/v1/responses?x=1", subset: ["10.0.0.1:8000"], trustClient: true });
});
