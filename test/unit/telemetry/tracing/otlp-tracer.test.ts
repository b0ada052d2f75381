import { performance } from "node:perf_hooks";
import { afterEach, describe, expect, it } from "vitest";
import { describeError } from "../../../../src/telemetry/describe-error.ts";
import type { TraceCarrier } from "../../../../src/telemetry/index.ts";
import { OtlpReceiver } from "../../../support/tracing/otlp-receiver.ts";
import { testTracer } from "../../../support/tracing/test-tracer.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function start(options: Parameters<typeof testTracer>[1] = {}) {
  const receiver = await OtlpReceiver.start();
  const tracer = await testTracer(receiver.endpoint, options);
  open.push(receiver, tracer);
  return { receiver, tracer };
}

function carrier(headers: Readonly<Record<string, string | readonly string[]>>): TraceCarrier {
  return { getAll: (name) => [headers[name] ?? []].flat() };
}

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const parentOf = (flags: string) => `00-${traceId}-${parentId}-${flags}`;

describe("spans", () => {
  it("reach the collector with their parents, times, attributes and outcome", async () => {
    const { receiver, tracer } = await start();
    const before = performance.timeOrigin + performance.now();
    const span = tracer.begin("request", carrier({}))?.span;
    span?.set({ model: "m", tokens: 12, absent: undefined, flag: true });
    span?.during("parse", () => undefined);
    const late = span?.during("tokenize", () => new Promise((resolve) => setImmediate(resolve)));
    await late;
    expect(() =>
      span?.during("score", () => {
        throw new RangeError("the secret prompt");
      }),
    ).toThrow(RangeError);
    span?.end("no_endpoints");
    span?.end();
    await tracer.close();
    expect(receiver.faults).toEqual([]);
    expect(receiver.under("request")).toEqual(["parse", "tokenize", "score"]);
    const [parse, tokenize, score, request] = receiver.spans;
    expect(request).toMatchObject({
      name: "request",
      kind: 2,
      parent: "",
      isError: true,
      service: "picker",
      attributes: { model: "m", tokens: 12, flag: true, "error.type": "no_endpoints" },
    });
    expect(score).toMatchObject({ isError: true, attributes: { "error.type": "RangeError" } });
    expect(parse?.isError).toBe(false);
    expect(tokenize?.durationMs).toBeGreaterThan(0);
    for (const { startNs, durationMs } of receiver.spans) {
      const startMs = Number(startNs / 1_000n) / 1_000;
      expect(startMs).toBeGreaterThan(before - 50);
      expect(startMs + durationMs).toBeLessThan(performance.timeOrigin + performance.now() + 50);
    }
    expect(receiver.messages.map(({ text }) => text).join()).not.toContain("secret");
  });

  it("begin in the order of what they stand for, to the microsecond", async () => {
    const { receiver, tracer } = await start({ maxSpans: 2_000, maxBatchSpans: 2_000 });
    for (let i = 0; i < 100; i++) {
      const span = tracer.begin(`request ${i}`, carrier({}))?.span;
      for (const part of ["a", "b", "c"]) span?.during(part, () => undefined);
      span?.end();
    }
    await tracer.close();
    const { spans } = receiver;
    for (let i = 0; i < 100; i++) {
      const [request] = spans.filter(({ name }) => name === `request ${i}`);
      const parts = spans.filter(({ parent }) => parent === `request ${i}`);
      const starts = [request, ...parts.toSorted((x, y) => (x.name < y.name ? -1 : 1))].map(
        (span) => span?.startNs ?? 0n,
      );
      expect(starts).toEqual(starts.toSorted((x, y) => Number(x - y)));
      expect(starts).toHaveLength(4);
    }
  });

  it("have values of bounded length, and a bounded number of attributes", async () => {
    const { receiver, tracer } = await start();
    const span = tracer.begin("request", carrier({}))?.span;
    span?.set({ long: "x".repeat(10_000) });
    for (let i = 0; i < 100; i++) span?.set({ [`a${i}`]: i });
    span?.end();
    await tracer.close();
    const [sent] = receiver.spans;
    expect(String(sent?.attributes["long"])).toHaveLength(256);
    expect(Object.keys(sent?.attributes ?? {})).toHaveLength(32);
  });
});

describe("the context of a request", () => {
  it("is gone on with: the worker's parent is our span, in the same trace", async () => {
    const { receiver, tracer } = await start({ sampleRatio: 0 });
    const trace = tracer.begin("request", carrier({ traceparent: parentOf("01"), tracestate: "vendor=1" }));
    trace?.span?.end();
    await tracer.close();
    const [span] = receiver.spans;
    expect(span).toMatchObject({ traceId, parentSpanId: parentId });
    expect(trace?.headers).toEqual([["traceparent", `00-${traceId}-${span?.spanId}-01`]]);
  });

  it("is left as it is when it says that nothing is recorded", async () => {
    const { tracer } = await start();
    expect(tracer.begin("request", carrier({ traceparent: parentOf("00") }))).toBeUndefined();
  });

  it.each([
    { name: "no version", value: `${traceId}-${parentId}-01` },
    { name: "a version that cannot be", value: `ff-${traceId}-${parentId}-01` },
    { name: "an empty trace id", value: `00-${"0".repeat(32)}-${parentId}-01` },
    { name: "an empty parent", value: `00-${traceId}-${"0".repeat(16)}-01` },
    { name: "capitals", value: parentOf("01").toUpperCase() },
    { name: "more of the version that we know", value: `${parentOf("01")}-00` },
    { name: "nonsense", value: "x".repeat(100_000) },
    { name: "two of them", value: [parentOf("01"), parentOf("01")] },
  ])("begins a trace where there is $name, without what stands in the state", async ({ value }) => {
    const { tracer } = await start();
    const trace = tracer.begin("request", carrier({ traceparent: value, tracestate: "vendor=1" }));
    expect(trace?.headers).toEqual([
      ["traceparent", expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)],
      ["tracestate", ""],
    ]);
    expect(trace?.headers[0]?.[1]).not.toContain(traceId);
    trace?.span?.end();
  });

  it("of a later version is read as far as it is known", async () => {
    const { tracer } = await start();
    const later = carrier({ traceparent: `01-${traceId}-${parentId}-01-more` });
    expect(tracer.begin("request", later)?.headers[0]?.[1]).toContain(traceId);
  });

  it("is told to be unrecorded where a trace is begun and not sampled", async () => {
    const { receiver, tracer } = await start({ sampleRatio: 0 });
    const trace = tracer.begin("request", carrier({}));
    expect(trace?.span).toBeUndefined();
    expect(trace?.headers).toEqual([["traceparent", expect.stringMatching(/-00$/)]]);
    await tracer.close();
    expect(receiver.messages).toEqual([]);
  });

  it("is recorded so many times a second at most, whoever asks", async () => {
    const { tracer } = await start({ maxTracesPerSecond: 3 });
    const begun = Array.from({ length: 20 }, (_, i) =>
      tracer.begin("request", carrier(i % 2 === 0 ? {} : { traceparent: parentOf("01") })),
    );
    expect(begun.filter((trace) => trace?.span !== undefined)).toHaveLength(3);
  });
});

describe("a collector", () => {
  it("gets the headers of the settings", async () => {
    const { receiver, tracer } = await start({ headers: { authorization: "Bearer t" } });
    tracer.begin("request", carrier({}))?.span?.end();
    await expect.poll(() => receiver.messages.length).toBe(1);
    expect(receiver.messages[0]?.headers).toMatchObject({
      authorization: "Bearer t",
      "content-type": "application/json",
    });
    expect(tracer.counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
  });

  it("that takes no answer holds a bounded number of spans; the rest is dropped and counted", async () => {
    const { receiver, tracer } = await start({ timeoutMs: 300, maxSpans: 100, maxBatchSpans: 50, flushMs: 1 });
    receiver.reply = () => undefined;
    for (let i = 0; i < 60; i++) tracer.begin("request", carrier({}))?.span?.end();
    await expect.poll(() => receiver.messages.length).toBe(1);
    for (let i = 0; i < 500; i++) tracer.begin("request", carrier({}))?.span?.end();
    expect(tracer.counts.dropped).toBeGreaterThan(400);
    await expect.poll(() => tracer.counts.failed).toBeGreaterThan(0);
  });

  it("that is not there costs the spans and nothing else", async () => {
    const { receiver, tracer } = await start({ timeoutMs: 200 });
    await receiver.close();
    for (let i = 0; i < 5; i++) tracer.begin("request", carrier({}))?.span?.end();
    await expect.poll(() => tracer.counts.failed).toBe(5);
    await tracer.close();
  });

  it("that refuses spans is told of in the log once, with its address and the reason, and so is its return", async () => {
    const receiver = await OtlpReceiver.start();
    const lines: [level: string, fields: object][] = [];
    const log = {
      info: (fields: object) => lines.push(["info", fields]),
      warn: (fields: object) => lines.push(["warn", fields]),
    };
    const tracer = await testTracer(`${receiver.endpoint}?key=secret`, {}, log);
    open.push(receiver, tracer);
    receiver.reply = (response) => response.writeHead(400).end();
    for (const failed of [1, 2]) {
      tracer.begin("request", carrier({}))?.span?.end();
      await expect.poll(() => tracer.counts.failed).toBe(failed);
    }
    receiver.reply = (response) => response.writeHead(200).end("{}");
    for (const sent of [1, 2]) {
      tracer.begin("request", carrier({}))?.span?.end();
      await expect.poll(() => tracer.counts.sent).toBe(sent);
    }
    const { endpoint } = receiver;
    expect(lines).toEqual([
      ["warn", { endpoint, failedSpans: 1, err: expect.objectContaining({ message: "Bad Request", code: 400 }) }],
      ["info", { endpoint, failedSpans: 2 }],
    ]);
  });

  it("that is not there is told of with the system's reason", async () => {
    const receiver = await OtlpReceiver.start();
    const { endpoint } = receiver;
    await receiver.close();
    const reasons: unknown[] = [];
    const log = { info: () => undefined, warn: (fields: object) => reasons.push(fields) };
    const tracer = await testTracer(endpoint, { timeoutMs: 200 }, log);
    tracer.begin("request", carrier({}))?.span?.end();
    await tracer.close();
    expect(JSON.stringify(reasons.map((fields) => describeError((fields as { err: unknown }).err)))).toContain(
      "ECONNREFUSED",
    );
  });

  it("that refuses spans gets the next ones all the same", async () => {
    const { receiver, tracer } = await start();
    receiver.reply = (response) => response.writeHead(400).end();
    tracer.begin("request", carrier({}))?.span?.end();
    await expect.poll(() => tracer.counts.failed).toBe(1);
    receiver.reply = (response) => response.writeHead(200).end("{}");
    tracer.begin("request", carrier({}))?.span?.end();
    await expect.poll(() => tracer.counts.sent).toBe(1);
  });
});
