import { describe, expect, it } from "vitest";
import { errorOf, requestHeaders, shapes } from "./messages.ts";
import { SessionWorld, settle } from "./session-harness.ts";

describe("a pick that does not wait", () => {
  it("is answered at once, without a timer or a signal", () => {
    const world = new SessionWorld();
    world.router.decideAtOnce = () => ({});
    const stream = world.open();
    stream.session.receive(requestHeaders({ isEnd: true }));
    expect(shapes(stream.answers)).toEqual(["request_headers"]);
    expect([world.clock.timers, world.router.signals.length]).toEqual([0, 0]);
  });

  it("is refused and given back when it took longer than it may", () => {
    const world = new SessionWorld({ pickDeadlineMs: 50 });
    world.router.decideAtOnce = () => {
      world.clock.advance(51);
      return {};
    };
    const stream = world.open();
    stream.session.receive(requestHeaders({ isEnd: true }));
    expect(errorOf(stream.answers[0])).toMatchObject({ code: "deadline_exceeded" });
    expect(world.router.reservation.calls).toEqual(["release"]);
    expect(world.telemetry).toMatchObject({ picks: [], failures: ["deadline_exceeded"] });
  });

  it("may take just as long as it may", () => {
    const world = new SessionWorld({ pickDeadlineMs: 50 });
    world.router.decideAtOnce = () => {
      world.clock.advance(50);
      return {};
    };
    const stream = world.open();
    stream.session.receive(requestHeaders({ isEnd: true }));
    expect(shapes(stream.answers)).toEqual(["request_headers"]);
  });

  it("that fails refuses the request", () => {
    const world = new SessionWorld();
    world.router.decideAtOnce = () => {
      throw new Error("a fault");
    };
    const stream = world.open();
    stream.session.receive(requestHeaders({ isEnd: true }));
    expect(errorOf(stream.answers[0])).toMatchObject({ code: "internal" });
    expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
  });
});

describe("a pick that waits", () => {
  it("is told why nobody waits any more", async () => {
    const world = new SessionWorld();
    world.router.decide = () => new Promise(() => undefined);
    const stream = world.open();
    await stream.receive(requestHeaders({ isEnd: true }));
    const [signal] = world.router.signals;
    expect([signal?.aborted, world.clock.timers]).toEqual([false, 1]);
    stream.session.peerLeft();
    await settle();
    expect(signal?.reason).toEqual(new Error("the client has left"));
    expect(world.clock.timers).toBe(0);
  });
});
