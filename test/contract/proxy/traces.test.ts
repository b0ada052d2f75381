import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OtlpTracer } from "../../../src/telemetry/index.ts";
import { FakeWorker, json, reset, sse } from "../../support/proxy/fake-worker.ts";
import { call, chatBody } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";
import { OtlpReceiver } from "../../support/tracing/otlp-receiver.ts";
import { testTracer } from "../../support/tracing/test-tracer.ts";

const open: { close(): Promise<void> }[] = [];
let collector: OtlpReceiver;
let tracer: OtlpTracer;

beforeEach(async () => {
  collector = await OtlpReceiver.start();
  tracer = await testTracer(collector.endpoint);
  open.push(collector);
});

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setUp(count: number, behave: FakeWorker["behave"]) {
  const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
  for (const worker of workers) worker.behave = behave;
  const proxy = await RunningProxy.start({ workers, tracer });
  open.push(...workers, proxy);
  return { url: proxy.url, workers };
}

/** Everything that was recorded, once the requests are over. */
async function recorded() {
  await tracer.close();
  expect(collector.faults).toEqual([]);
  return collector.spans;
}

/** Its values in the one request that came to the first worker. */
function sentHeader(workers: readonly FakeWorker[], name: string): readonly string[] {
  const raw = workers[0]?.seen[0]?.rawHeaders ?? [];
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name);
}

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const traced = ["traceparent", `00-${traceId}-00f067aa0ba902b7-01`, "tracestate", "a=1,b=2"];
const secretBody = (more: object) => chatBody({ messages: [{ role: "user", content: "very secret" }], ...more });

describe("the trace of a request through the proxy", () => {
  it("goes on to the worker, and has the pick and each part of the attempt", async () => {
    const { url, workers } = await setUp(1, (response) => {
      sse(response);
      response.write('data: {"choices":[{"index":0,"delta":{"content":"secret"}}]}\n\n');
      response.end('data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\ndata: [DONE]\n\n');
    });
    const answer = await call(url, { body: secretBody({ stream: true }), headers: traced });
    expect(answer.status).toBe(200);
    const spans = await recorded();
    const request = spans.find(({ name }) => name === "proxy.request");
    expect(request).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7", isError: false });
    expect(request?.attributes).toMatchObject({
      "http.response.status_code": 200,
      "gen_ai.usage.input_tokens": 9,
      "gen_ai.usage.output_tokens": 2,
    });
    expect(sentHeader(workers, "traceparent")).toEqual([`00-${traceId}-${request?.spanId}-01`]);
    expect(sentHeader(workers, "tracestate")).toEqual(["a=1,b=2"]);
    expect(collector.under("proxy.request")).toEqual(["pick", "attempt"]);
    expect(collector.under("pick")).toEqual(["parse", "score", "book"]);
    expect(collector.under("attempt")).toEqual(["connect", "head", "first_content", "generate"]);
    expect(collector.messages.map(({ text }) => text).join()).not.toContain("secret");
  });

  it("has each attempt of a retry, with what was wrong", async () => {
    let failures = 0;
    const { url } = await setUp(2, (response) =>
      failures++ === 0 ? reset(response) : json(response, 200, { ok: true }),
    );
    await call(url, { body: secretBody({}), headers: [] });
    await recorded();
    expect(collector.under("proxy.request")).toEqual(["pick", "attempt", "pick", "attempt"]);
    const attempts = collector.spans.filter(({ name }) => name === "attempt");
    expect(attempts.map(({ attributes }) => attributes["error.type"])).toEqual(["reset", undefined]);
    expect(collector.spans.find(({ name }) => name === "proxy.request")?.isError).toBe(false);
  });

  it("ends with the refusal's code, or with the client that left", async () => {
    const { url } = await setUp(0, reset);
    await call(url, { body: secretBody({}), headers: [] });
    const [request] = (await recorded()).filter(({ name }) => name === "proxy.request");
    expect(request).toMatchObject({ isError: true, attributes: { "error.type": "no_endpoints" } });
  });

  it("is not there for a request that says so, whose headers go on as they came", async () => {
    const { url, workers } = await setUp(1, (response) => json(response, 200, { ok: true }));
    const parent = `00-${traceId}-00f067aa0ba902b7-00`;
    await call(url, { body: secretBody({}), headers: ["traceparent", parent] });
    expect(sentHeader(workers, "traceparent")).toEqual([parent]);
    expect(await recorded()).toEqual([]);
  });
});
