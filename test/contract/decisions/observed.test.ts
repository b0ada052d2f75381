import { afterEach, expect, it } from "vitest";
import type { OtlpTracer } from "../../../src/telemetry/index.ts";
import { jevBody, modelName, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench, type DecisionSetup, parsed } from "../../support/decisions/decision-bench.ts";
import { frames, score } from "../../support/decisions/scorer.ts";
import { OtlpReceiver } from "../../support/tracing/otlp-receiver.ts";
import { testTracer } from "../../support/tracing/test-tracer.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function started(setup: DecisionSetup = {}): Promise<DecisionBench> {
  const bench = await DecisionBench.start(setup);
  open.push(bench);
  return bench;
}

it("a decision counts as one pick, and with the tokens of all its questions, as other requests do", async () => {
  const bench = await started();
  bench.scorer.worker.behave = (response, request) => score(response, request, { cachedTokens: 7 });
  await bench.decisions(openAiBody);
  const inputTokens = bench.scorer.calls.reduce((sum, { input_ids }) => sum + input_ids.length, 0);
  const model = `model="${modelName}"`;
  expect(await bench.proxy.metric(`pointsman_picks_total{api="given",${model},mode="proxy"}`)).toBe(1);
  expect(await bench.proxy.metric(`pointsman_served_input_tokens_total{${model}}`)).toBe(inputTokens);
  expect(await bench.proxy.metric(`pointsman_served_cached_tokens_sum{${model}}`)).toBe(21);
});

it("a decision that is refused for its body is no pick", async () => {
  const bench = await started();
  await bench.decisions({ ...openAiBody, model: "" });
  expect(await bench.proxy.metrics.render()).not.toContain("pointsman_picks_total{");
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const context = ["traceparent", `00-${traceId}-00f067aa0ba902b7-01`, "tracestate", "a=1"];

async function traced() {
  const collector = await OtlpReceiver.start();
  open.push(collector);
  const tracer = await testTracer(collector.endpoint);
  return { collector, tracer, bench: await started({ tracer }) };
}

async function requestSpan(collector: OtlpReceiver, tracer: OtlpTracer) {
  await tracer.close();
  expect(collector.faults).toEqual([]);
  return collector.spans.find(({ name }) => name === "proxy.request");
}

/** Values of a header in each question. */
const sent = (bench: DecisionBench, wanted: string) =>
  bench.scorer.worker.seen.map(({ rawHeaders }) =>
    rawHeaders.find((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted),
  );

it("a decision's trace goes on to the worker, and has its parts, and nothing of its text", async () => {
  const { collector, tracer, bench } = await traced();
  expect((await bench.systemone(jevBody, context)).status).toBe(200);
  const request = await requestSpan(collector, tracer);
  expect(request).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7", isError: false });
  expect(request?.attributes).toMatchObject({
    "http.response.status_code": 200,
    "gen_ai.request.model": modelName,
    "gen_ai.usage.output_tokens": 0,
  });
  expect(collector.under("proxy.request")).toEqual(["preflight", "pick", "first_branch", "fanout"]);
  expect(collector.under("pick")).toEqual(["score", "book"]);
  expect(new Set(sent(bench, "traceparent"))).toEqual(new Set([`00-${traceId}-${request?.spanId}-01`]));
  expect(new Set(sent(bench, "tracestate"))).toEqual(new Set(["a=1"]));
  expect(collector.messages.map(({ text }) => text).join()).not.toContain("refund");
});

it("a decision's trace ends with what was wrong", async () => {
  const { collector, tracer, bench } = await traced();
  bench.scorer.worker.behave = (response) => frames(response, {});
  await bench.systemone(jevBody);
  expect(await requestSpan(collector, tracer)).toMatchObject({
    isError: true,
    attributes: { "error.type": "malformed_scores", "http.response.status_code": 500 },
  });
});

it("a client's own trace goes on as it came where there are none", async () => {
  const bench = await started();
  await bench.systemone(jevBody, context);
  expect(new Set(sent(bench, "traceparent"))).toEqual(new Set([context[1]]));
});

it("rules for models count, and answers have the client's name", async () => {
  const rules = `modelRewrites: [{ models: [renamed, jev-latest], targets: [{ model: qwen }] }]`;
  const bench = await started({ settings: rules });
  for (const model of ["renamed", "jev-latest"]) {
    const answer = await bench.systemone({ ...jevBody, model });
    expect([answer.status, parsed(answer)]).toMatchObject([200, { model }]);
  }
  expect(parsed(await bench.systemone(jevBody))).toMatchObject({ model: modelName });
});
