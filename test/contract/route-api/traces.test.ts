import { afterEach, beforeEach, expect, it } from "vitest";
import type { OtlpTracer } from "../../../src/telemetry/index.ts";
import { OtlpReceiver } from "../../support/tracing/otlp-receiver.ts";
import { testTracer } from "../../support/tracing/test-tracer.ts";
import { RunningApi } from "./running-api.ts";

let collector: OtlpReceiver;
let tracer: OtlpTracer;
let api: RunningApi;

beforeEach(async () => {
  collector = await OtlpReceiver.start();
  tracer = await testTracer(collector.endpoint);
  const settings = `
mode: reserve
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]`;
  api = await RunningApi.start(settings, { tracer });
});

afterEach(async () => {
  await api.close();
  await tracer.close();
  await collector.close();
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
const request = {
  path: "/v1/chat/completions",
  body: { model: "m", messages: [{ role: "user", content: "very secret" }] },
};

it.each([
  { path: "/route", name: "route_api.route" },
  { path: "/route_and_reserve", name: "route_api.route_and_reserve" },
])("$path goes on with its caller's trace, and names the header for the worker", async ({ path, name }) => {
  const { body } = await api.call("POST", path, { request }, headers);
  await tracer.close();
  expect(collector.faults).toEqual([]);
  const span = collector.spans.find((each) => each.name === name);
  expect(span).toMatchObject({ traceId, attributes: { "pointsman.worker": "a", "gen_ai.request.model": "m" } });
  expect(body.headers.traceparent).toBe(`00-${traceId}-${span?.spanId}-01`);
  expect(collector.under(name)).toEqual(["parse", "score"]);
  expect(collector.messages.map(({ text }) => text).join()).not.toContain("secret");
});

it("a refusal ends the trace with its code", async () => {
  await api.call("POST", "/route", { request: { ...request, body: { ...request.body, model: "x" } } }, headers);
  await tracer.close();
  const [span] = collector.spans.filter((each) => each.parent === "");
  expect(span).toMatchObject({ isError: true, attributes: { "error.type": "unknown_model" } });
});
