import { describe, expect, it } from "vitest";
import type { ProcessingRequest } from "../../../../src/surface/ext-proc/processing-messages.ts";
import { ENDPOINT } from "./fakes.ts";
import {
  BUFFERED,
  FULL_DUPLEX,
  NONE,
  requestBody,
  requestHeaders,
  responseBody,
  responseHeaders,
  responseTrailers,
  STREAMED,
  setHeaders,
  shapes,
  streamedBody,
} from "./messages.ts";
import { SessionWorld, type TestStream } from "./session-harness.ts";

const servedBy = (endpoint: string) => ({
  filter_metadata: {
    "envoy.lb": { fields: { "x-gateway-destination-endpoint-served": { stringValue: endpoint, kind: "stringValue" } } },
  },
});

async function picked(world: SessionWorld, responseMode = FULL_DUPLEX): Promise<TestStream> {
  const stream = world.open();
  await stream.receive(requestHeaders({ responseMode }), requestBody("{}", true));
  stream.answers.length = 0;
  return stream;
}

describe("a response in FULL_DUPLEX_STREAMED mode", () => {
  it("passes piece by piece, each as it comes, with its end on the last chunk", async () => {
    const stream = await picked(new SessionWorld());
    await stream.receive(responseHeaders(), responseBody("data: 1\n\n"));
    expect(shapes(stream.answers)).toEqual(["response_headers", "response_body 9"]);
    const long = Buffer.alloc(124_001, "x");
    await stream.receive(responseBody(long), { response_body: { end_of_stream: true } });
    expect(shapes(stream.answers).slice(2)).toEqual([
      "response_body 62000",
      "response_body 62000",
      "response_body 1",
      "response_body 0 end",
    ]);
    expect(streamedBody(stream.answers, "response_body").length).toBe(124_010);
  });

  it("ends with trailers", async () => {
    const world = new SessionWorld();
    const stream = await picked(world);
    await stream.receive(responseHeaders(), responseBody("x"), responseTrailers);
    expect(shapes(stream.answers)).toEqual(["response_headers", "response_body 1", "response_trailers"]);
    expect(world.router.reservation.isReleased).toBe(true);
  });
});

describe.each([
  { name: "STREAMED", mode: STREAMED },
  { name: "BUFFERED", mode: BUFFERED },
])("a response in $name mode", ({ mode }) => {
  it("passes untouched", async () => {
    const world = new SessionWorld();
    const stream = await picked(world, mode);
    await stream.receive(responseHeaders(), responseBody('{"usage":{"prompt_tokens":5}}', true));
    expect(stream.answers).toEqual([{ response_headers: {} }, { response_body: {} }]);
    expect(world.telemetry.usages).toMatchObject([{ inputTokens: 5 }]);
  });
});

describe("the load of a request", () => {
  it("is prefilled at the first byte that is not empty, once, and freed at the end", async () => {
    const world = new SessionWorld();
    const stream = await picked(world);
    await stream.receive(responseHeaders(), { response_body: {} });
    expect(world.router.reservation.calls).toEqual([]);
    await stream.receive(responseBody("a"), responseBody("b"));
    expect(world.router.reservation.calls).toEqual(["prefillComplete"]);
    await stream.receive(responseBody("", true));
    expect(world.router.reservation.calls).toEqual(["prefillComplete", "release"]);
  });

  it("is freed by a response of only headers", async () => {
    const world = new SessionWorld();
    const stream = await picked(world);
    await stream.receive(responseHeaders({}, true));
    expect(world.router.reservation.calls).toEqual(["release"]);
    stream.session.peerLeft();
    expect(world.telemetry.aborts).toEqual([]);
  });

  it.each([
    { endpoint: "10.0.0.1:8000", mismatches: [] },
    { endpoint: "10.0.0.9:8000", mismatches: [{ picked: "10.0.0.1:8000", served: "10.0.0.9:8000" }] },
  ])("moves to the endpoint that served: $endpoint", async ({ endpoint, mismatches }) => {
    const world = new SessionWorld();
    const stream = await picked(world);
    const metadata_context = servedBy(endpoint);
    await stream.receive({ ...responseHeaders(), metadata_context }, { ...responseBody("x"), metadata_context });
    expect(world.router.reservation.calls).toEqual([`servedBy ${endpoint}`, "prefillComplete"]);
    expect(world.telemetry.mismatches).toEqual(mismatches);
  });

  it("is held until the stream ends when the gateway shows no response bodies, which is no abort", async () => {
    const world = new SessionWorld();
    const stream = await picked(world, NONE);
    expect(world.router.reservation.isReleased).toBe(false);
    stream.session.peerLeft();
    expect(world.router.reservation.isReleased).toBe(true);
    expect(world.telemetry.aborts).toEqual([]);
  });
});

describe("token counts", () => {
  it("are reported with what was predicted, from an SSE response cut anywhere", async () => {
    const world = new SessionWorld();
    const stream = await picked(world);
    const event =
      'data: {"choices":[],"usage":{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":8}}}\r\n\r\n';
    await stream.receive(
      responseHeaders({ "content-type": "text/event-stream; charset=utf-8" }),
      responseBody(event.slice(0, 31)),
      responseBody(event.slice(31)),
      responseBody("data: [DONE]\r\n\r\n", true),
    );
    expect(world.telemetry.usages).toEqual([
      { model: "m", inputTokens: 10, cachedTokens: 8, outputTokens: undefined, predictedCachedTokens: 4 },
    ]);
    expect(world.telemetry.unread).toEqual([]);
  });

  it.each([
    { name: "compressed", headers: { "content-encoding": "gzip" }, unread: ["encoded"] },
    { name: "without counts", headers: {}, unread: ["absent"] },
    { name: "an error", headers: { ":status": "400" }, unread: [] },
    { name: "not JSON", headers: { "content-type": "text/plain" }, unread: [] },
  ])("of a response that is $name", async ({ headers, unread }) => {
    const world = new SessionWorld();
    const stream = await picked(world);
    await stream.receive(responseHeaders(headers), responseBody("{}", true));
    expect(world.telemetry.unread).toEqual(unread);
    expect(world.telemetry.usages).toEqual([]);
  });
});

describe("a failure while the response passes", () => {
  it("is logged, and the response passes", async () => {
    const world = new SessionWorld();
    world.router.decide = async () => ({
      reservation: {
        prefillComplete: () => {
          throw new Error("broken");
        },
        release: () => undefined,
        servedBy: () => false,
        tried: () => undefined,
      },
    });
    const stream = await picked(world);
    await stream.receive(responseHeaders(), responseBody("a"), responseBody("b", true));
    expect(shapes(stream.answers)).toEqual(["response_headers", "response_body 1", "response_body 1 end"]);
    expect(world.logger.lines.map(({ level }) => level)).toContain("error");
    expect(stream.isEnded).toBe(false);
  });
});

describe("a stream without a request of ours", () => {
  it("passes a response whose request the gateway did not show", async () => {
    const stream = new SessionWorld().open();
    const first = { ...responseHeaders(), protocol_config: { response_body_mode: FULL_DUPLEX } };
    await stream.receive(first, responseBody("x", true));
    expect(shapes(stream.answers)).toEqual(["response_headers", "response_body 1 end"]);
  });

  it("passes a body whose headers the gateway did not show", async () => {
    const stream = new SessionWorld().open();
    await stream.receive({ ...requestBody("x", true), protocol_config: { request_body_mode: STREAMED } });
    expect(shapes(stream.answers)).toEqual(["request_body"]);
  });

  it("answers nothing in observability mode, and books nothing", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive({ ...requestHeaders({ isEnd: true }), observability_mode: true });
    stream.session.peerLeft();
    expect([stream.answers, world.router.requests, world.telemetry.aborts]).toEqual([[], [], []]);
  });

  it("ignores messages of a newer protocol", async () => {
    const stream = new SessionWorld().open();
    await stream.receive({}, requestHeaders(), requestBody("{}", true));
    expect(shapes(stream.answers)).toEqual(["request_headers", "request_body 2 end"]);
  });
});

describe("conformance headers", () => {
  const headers = { "test-epp-endpoint-selection": "10.0.0.1, 10.0.0.2:3000" };

  it("steer the pick and tell who served, when switched on", async () => {
    const world = new SessionWorld({ conformanceHeaders: true });
    const stream = world.open();
    await stream.receive(requestHeaders({ headers, isEnd: true }));
    expect(world.router.request.requestedEndpoints).toEqual(["10.0.0.1", "10.0.0.2:3000"]);
    await stream.receive({ ...responseHeaders(), metadata_context: servedBy("10.0.0.2:3000") });
    expect(setHeaders(stream.answers[1])).toEqual({ "x-conformance-test-served-endpoint": "10.0.0.2:3000" });
  });

  it("mean nothing otherwise", async () => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders({ headers, isEnd: true }));
    expect(world.router.request.requestedEndpoints).toBeUndefined();
    await stream.receive({ ...responseHeaders(), metadata_context: servedBy("10.0.0.2:3000") });
    expect(stream.answers[1]).toEqual({ response_headers: {} });
  });
});

describe("what the gateway tells of its tries", () => {
  const refused = "upstream_reset_before_response_started{remote_connection_failure|delayed_connect_error:_refused}";
  const attributes = (details: string, attempts?: number): NonNullable<ProcessingRequest["attributes"]> => ({
    "envoy.filters.http.ext_proc": {
      fields: {
        "response.code_details": { stringValue: details },
        ...(attempts === undefined ? {} : { "upstream.request_attempt_count": { numberValue: attempts } }),
      },
    },
  });
  const other = "10.0.0.2:8000";
  const reached = `reached ${ENDPOINT}`;
  const notReached = `did not reach ${ENDPOINT}`;

  it.each([
    { name: "an answer", details: "via_upstream", attempts: 1, served: undefined, tried: [reached] },
    {
      name: "an answer of the one that is named",
      details: "via_upstream",
      attempts: 1,
      served: ENDPOINT,
      tried: [reached],
    },
    { name: "an answer at the second try", details: "via_upstream", attempts: 2, served: undefined, tried: [reached] },
    {
      name: "another's answer",
      details: "via_upstream",
      attempts: 2,
      served: other,
      tried: [`reached ${other}`, notReached],
    },
    // The picked one is not in the gateway's cluster: it was not tried.
    {
      name: "another's at the first try",
      details: "via_upstream",
      attempts: 1,
      served: other,
      tried: [`reached ${other}`],
    },
    { name: "a refused connection", details: refused, attempts: 2, served: undefined, tried: [notReached] },
    { name: "no count", details: refused, attempts: undefined, served: undefined, tried: [notReached] },
    {
      name: "two refused ones",
      details: refused,
      attempts: 3,
      served: other,
      tried: [`did not reach ${other}`, notReached],
    },
    {
      name: "a slow one",
      details: "upstream_reset_before_response_started{connection_timeout}",
      attempts: 1,
      served: undefined,
      tried: [notReached],
    },
    {
      name: "an older Envoy's words",
      details: "upstream_reset_before_response_started{connection_failure}",
      attempts: 1,
      served: undefined,
      tried: [notReached],
    },
    {
      name: "one that broke",
      details: "upstream_reset_before_response_started{connection_termination}",
      attempts: 1,
      served: undefined,
      tried: [],
    },
    {
      name: "the gateway's own limit",
      details: "upstream_reset_before_response_started{overflow}",
      attempts: 1,
      served: undefined,
      tried: [],
    },
    { name: "no healthy host", details: "no_healthy_upstream", attempts: 1, served: undefined, tried: [] },
    { name: "a slow worker", details: "response_timeout", attempts: 1, served: undefined, tried: [] },
  ])("tells of $name", async ({ details, attempts, served, tried }) => {
    const world = new SessionWorld();
    const stream = world.open();
    await stream.receive(requestHeaders(), requestBody("{}", true), {
      ...responseHeaders({ ":status": "503" }),
      attributes: attributes(details, attempts),
      ...(served === undefined ? {} : { metadata_context: servedBy(served) }),
    });
    const { calls } = world.router.reservation;
    expect(calls.filter((call) => call.includes("reach"))).toEqual(tried);
    expect(shapes(stream.answers).at(-1)).toBe("response_headers");
  });

  it("is nothing where the gateway does not tell it", async () => {
    const world = new SessionWorld();
    const other = {
      "envoy.filters.http.ext_proc": { fields: { "request.path": { stringValue: "via_upstream" } } },
      x: {},
    };
    for (const sent of [undefined, {}, other]) {
      const stream = world.open();
      const response = responseHeaders({ ":status": "503" });
      await stream.receive(
        requestHeaders(),
        requestBody("{}", true),
        sent === undefined ? response : { ...response, attributes: sent },
      );
    }
    expect(world.router.reservations.flatMap(({ calls }) => calls)).toEqual([]);
  });
});
