import { expect, it } from "vitest";
import { requestBody, requestHeaders } from "./messages.ts";
import { SessionWorld } from "./session-harness.ts";

it.each([
  { name: "before the body", messages: [requestHeaders(), requestHeaders()] },
  { name: "after the pick", messages: [requestHeaders(), requestBody("{}", true), requestHeaders()] },
])("request headers that come twice, $name, are booked once", async ({ messages }) => {
  const world = new SessionWorld();
  const stream = world.open();
  await stream.receive(...messages);
  expect(world.telemetry.peak.picks).toBe(1);
  stream.session.peerLeft();
  expect(world.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
});
