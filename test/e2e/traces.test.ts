import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OtlpReceiver } from "../support/tracing/otlp-receiver.ts";
import { ask } from "./support/client.ts";
import { envoyBinary } from "./support/envoy-binary.ts";
import { Gateway } from "./support/gateway.ts";
import { parseMetrics, sumOf } from "./support/metrics.ts";
import { idle } from "./support/picker-metrics.ts";
import { opening } from "./support/prompts.ts";
import { headerOf, recordOf } from "./support/worker-records.ts";

let collector: OtlpReceiver;
let gateway: Gateway;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  gateway = await Gateway.start({
    kind: { bodies: "full-duplex", hosts: "override-host" },
    launcher: envoyBinary,
    workers: 2,
    picker: {
      tracing: { endpoint: collector.endpoint, sampleRatio: 1, flushMs: 10 },
      metrics: { llmd: { names: "both" } },
    },
  });
});

afterAll(async () => {
  await gateway.stop();
  await collector.close();
});

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

describe("a picker with a collector, behind Envoy", () => {
  it("takes the client's trace on to the worker, with a span for each stage of the pick", async () => {
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "congo=t61rcWkgMzE" };
    const answer = await ask(gateway, opening(9_000), { headers });
    expect(answer.status).toBe(200);
    const { worker, record } = recordOf(gateway, answer.requestId);
    const traced = () => collector.spans.find((span) => span.name === "ext_proc.request" && span.traceId === traceId);
    await expect.poll(traced).toBeDefined();
    const request = traced();
    expect(headerOf(record, "traceparent")).toBe(`00-${traceId}-${request?.spanId}-01`);
    expect(headerOf(record, "tracestate")).toBe("congo=t61rcWkgMzE");
    expect(request).toMatchObject({
      service: "pointsman",
      isError: false,
      attributes: {
        "gen_ai.request.model": "qwen3",
        "pointsman.api": "chat",
        "pointsman.worker": worker.name,
        "pointsman.request_id": answer.requestId,
        "pointsman.prompt_tokens": expect.any(Number),
        "gen_ai.usage.input_tokens": expect.any(Number),
      },
    });
    expect(collector.under("ext_proc.request").filter((name) => name !== "prompt_thread")).toEqual(
      expect.arrayContaining(["parse", "render", "tokenize", "hash", "score", "book", "prefill", "generate"]),
    );
    expect(collector.faults).toEqual([]);
  });

  it("picks as well as ever when the collector is gone", async () => {
    await collector.close();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(gateway, opening(9_100 + i))));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const lost = async () =>
      sumOf(parseMetrics(await gateway.picker.metricsText()), "pointsman_trace_spans_total", { outcome: "failed" });
    await expect.poll(lost).toBeGreaterThan(0);
  });

  it("serves every metric that the dashboard and the alerts read, but for those of other modes", async () => {
    const folder = new URL("../../k8s/observability/", import.meta.url);
    const files = ["dashboard.json", "alerts.yaml"].map((name) => readFile(new URL(name, folder), "utf8"));
    const read = new Set((await Promise.all(files)).join().match(/\b(pointsman|nodejs|process)_\w+/g));
    const served = new Set(
      [...(await gateway.picker.metricsText()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
    );
    const missing = [...read].filter(
      (name) => !served.has(name) && !served.has(name.replace(/_(bucket|sum|count)$/, "")),
    );
    expect(missing.filter((name) => !/^pointsman_(replica_|proxy_held|shard_)/.test(name))).toEqual([]);
    expect(read.size).toBeGreaterThan(50);
  });

  it("serves llm-d's names, whose counts are those of the requests", async () => {
    await idle(gateway);
    const samples = parseMetrics(await gateway.picker.metricsText());
    for (const name of ["llm_d_epp_request_total", "inference_objective_request_total"]) {
      expect(sumOf(samples, name, { model_name: "qwen3", fairness_id: "default-flow" })).toBe(21);
    }
    expect(sumOf(samples, "llm_d_epp_request_running", {})).toBe(0);
    expect(sumOf(samples, "llm_d_epp_request_duration_seconds_count", {})).toBe(21);
    expect(sumOf(samples, "llm_d_epp_ready_endpoints", { name: "pointsman" })).toBe(2);
  });
});
