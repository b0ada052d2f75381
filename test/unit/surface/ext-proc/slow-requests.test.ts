import { describe, expect, it } from "vitest";
import { OpenStreams } from "../../../../src/surface/ext-proc/open-streams.ts";
import { SlowRequests } from "../../../../src/surface/ext-proc/slow-requests.ts";
import { BUFFERED, errorOf, requestBody, requestHeaders, responseHeaders, STREAMED } from "./messages.ts";
import { SessionWorld, type TestStream } from "./session-harness.ts";

const deadlineMs = 400;

function slowWorld(limitMs = deadlineMs) {
  const world = new SessionWorld({ maxPicksInFlight: 1 });
  const streams = new OpenStreams();
  const open = (): TestStream => {
    const stream = world.open();
    streams.add(stream.session);
    return stream;
  };
  return { world, open, slow: new SlowRequests(streams, world.clock, limitMs) };
}

/** Lets time pass in small steps, as timers that plan themselves anew need it. */
function pass(world: SessionWorld, ms: number): void {
  for (let passed = 0; passed < ms; passed += 50) world.clock.advance(50);
}

describe("a deadline for request bodies", () => {
  it.each([
    { name: "no message at all", messages: [] },
    { name: "headers only", messages: [requestHeaders()] },
    { name: "half a body", messages: [requestHeaders(), requestBody("{")] },
    { name: "headers only, buffered", messages: [requestHeaders({ requestMode: BUFFERED })] },
  ])("refuses a request of which there is $name", async ({ messages }) => {
    const { world, open } = slowWorld();
    const stream = open();
    await stream.receive(...messages);
    pass(world, deadlineMs);
    expect(stream.isEnded).toBe(false);
    pass(world, deadlineMs / 2);
    expect(stream.answers.at(-1)?.immediate_response?.status.code).toBe(408);
    expect(errorOf(stream.answers.at(-1))).toMatchObject({ code: "request_timeout" });
    expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
    expect(world.telemetry.failures).toEqual(["request_timeout"]);
    const next = open();
    await next.receive(requestHeaders(), requestBody("{}", true));
    expect(world.telemetry.picks).toHaveLength(1);
  });

  it.each([
    { name: "is being placed", messages: [requestHeaders(), requestBody("{}", true)], isPicked: false },
    { name: "was placed by its headers", messages: [requestHeaders({ requestMode: STREAMED })], isPicked: true },
    {
      name: "is being answered",
      messages: [requestHeaders(), requestBody("{}", true), responseHeaders()],
      isPicked: true,
    },
    { name: "is only observed", messages: [{ ...requestHeaders(), observability_mode: true }], isPicked: true },
  ])("leaves one alone that $name", async ({ messages, isPicked }) => {
    const { world, open } = slowWorld();
    if (!isPicked) world.router.decide = () => new Promise(() => {});
    const stream = open();
    await stream.receive(...messages);
    pass(world, 3 * deadlineMs);
    expect(stream.isEnded).toBe(false);
    expect(world.telemetry.failures).toEqual([]);
  });

  it("waits for ever when it is 0, and stops looking when it is closed", () => {
    const none = slowWorld(0);
    expect(none.world.clock.timers).toBe(0);
    const some = slowWorld();
    expect(some.world.clock.timers).toBe(1);
    some.slow.close();
    expect(some.world.clock.timers).toBe(0);
  });
});
