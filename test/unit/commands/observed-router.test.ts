import { describe, expect, it } from "vitest";
import { assembleCore } from "../../../src/commands/assemble.ts";
import { LlmdWatcher } from "../../../src/commands/llmd-watcher.ts";
import { ObservedRouter } from "../../../src/commands/observed-router.ts";
import type { RequestWatcher } from "../../../src/commands/request-watch.ts";
import { servedModels } from "../../../src/commands/served-models.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import { type RouteDecision, type RouteRequest, ScoringPicks, type ServedModel } from "../../../src/router/index.ts";
import { createLogger, Metrics } from "../../../src/telemetry/index.ts";

const settings = `
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]
admission: { objectives: [{ name: urgent, priority: 7 }] }
`;

function running(watchersOf: (metrics: Metrics) => readonly RequestWatcher[], more = "") {
  const config = loadConfig({ env: {}, flags: { set: [] }, text: settings + more });
  const core = assembleCore(config, {
    models: servedModels(config).registry,
    random: () => 0,
    jsonReader: new JsonReader({}),
  });
  const llmd = { names: "current", pool: "p", maxFairnessIds: 10 } as const;
  const metrics = new Metrics({ models: ["m"], version: "1", llmd });
  const log = createLogger({ level: "silent" });
  const router = new ObservedRouter(core.router, metrics.requests, log, watchersOf(metrics));
  return { core, metrics, router };
}

function requestOf(body: object, headers: Record<string, string> = {}): RouteRequest {
  return {
    path: "/v1/chat/completions",
    headers: { get: (name) => headers[name], getAll: (name) => (headers[name] === undefined ? [] : [headers[name]]) },
    body: Buffer.from(JSON.stringify(body)),
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: false,
  };
}

const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
const wait = { signal: new AbortController().signal };

describe("a watched pick", () => {
  it("is told of its parts, of the first content, the tokens and the end, each once, and adds headers", async () => {
    const told: string[] = [];
    const watcher: RequestWatcher = {
      watch: () => ({
        stages: {
          during: (stage, work) => {
            told.push(stage);
            return work();
          },
        },
        picked: (decision) => ({
          headers: [["traceparent", decision.endpoint]],
          firstContent: () => told.push("content"),
          used: ({ inputTokens }) => told.push(`used ${inputTokens}`),
          ended: () => told.push("ended"),
        }),
        failed: () => told.push("failed"),
      }),
    };
    const { router, core } = running(() => [watcher]);
    const decision = await router.route(requestOf(chat), wait);
    expect(decision.headers.at(-1)).toEqual(["traceparent", "127.0.0.1:1"]);
    for (let i = 0; i < 2; i++) decision.reservation.prefillComplete();
    decision.reservation.used?.({ inputTokens: 9, cachedTokens: undefined, outputTokens: 1 });
    for (let i = 0; i < 2; i++) decision.reservation.release();
    decision.reservation.prefillComplete();
    expect(told).toEqual(["parse", "score", "book", "content", "used 9", "ended"]);
    expect(core.loads.reservationCount).toBe(0);
  });

  it("is a scored prompt's as well", async () => {
    const picked: unknown[] = [];
    const watch = {
      picked: ({ model }: RouteDecision) => ({ ended: () => picked.push(model) }),
      failed: () => undefined,
    };
    const { router, core, metrics } = running(() => [{ watch: () => watch }]);
    const picks = new ScoringPicks(router, core.models, core.catalogue);
    const model = core.models.find("m") as ServedModel;
    const workers = [...core.catalogue.workers()];
    const demand = { model, workers, cacheSalt: "s", requestId: "r".repeat(200), headers: requestOf(chat).headers };
    const decision = await picks.pick(demand, Uint32Array.of(1, 2, 3), wait);
    picks.join(decision, demand, Uint32Array.of(1, 2, 4), 2).release();
    decision.reservation.release();
    expect(picked).toEqual(["m"]);
    expect(await metrics.render()).not.toContain("pointsman_inexact_total{");
    expect(core.decisions.recent(1)[0]?.requestId).toHaveLength(128);
  });

  it("tells why there is none", async () => {
    const failures: unknown[] = [];
    const watch = { picked: () => ({ ended: () => undefined }), failed: (...all: unknown[]) => failures.push(all) };
    const { router } = running(() => [{ watch: () => watch }]);
    expect(() => router.route(requestOf({ ...chat, messages: 1 }), wait)).toThrow(RoutingError);
    expect(failures).toEqual([[expect.objectContaining({ code: "invalid_request" }), false]]);
  });

  it("passes a request that nobody follows", async () => {
    const { router } = running(() => [{ watch: () => undefined }]);
    expect((await router.route(requestOf(chat), wait)).endpoint).toBe("127.0.0.1:1");
  });
});

describe("llm-d's names", () => {
  const watchers = ({ llmd }: Metrics) => (llmd === undefined ? [] : [new LlmdWatcher(llmd, new Map([["urgent", 7]]))]);

  it("have the model, the flow and the priority of each request", async () => {
    const { router, metrics } = running(watchers);
    const headers = { "x-llm-d-inference-fairness-id": "team", "x-gateway-inference-objective": "urgent" };
    const decision = await router.route(requestOf(chat, headers), wait);
    const labels = 'model_name="m",target_model_name="m",fairness_id="team",priority="7"';
    expect(await metrics.render()).toContain(`llm_d_epp_request_running{${labels}} 1\n`);
    decision.reservation.used?.({ inputTokens: 12, cachedTokens: 4, outputTokens: 3 });
    decision.reservation.release();
    const text = await metrics.render();
    expect(text).toContain(`llm_d_epp_request_running{${labels}} 0\n`);
    expect(text).toContain(`llm_d_epp_request_input_tokens_sum{${labels}} 12\n`);
    expect(text).toContain(`llm_d_epp_request_duration_seconds_count{${labels}} 1\n`);
    expect(text).toContain("llm_d_epp_scheduler_e2e_duration_seconds_count 1\n");
  });

  it("count a refusal as a request and as an error", async () => {
    const { router, metrics } = running(watchers);
    expect(() => router.route(requestOf({ ...chat, model: "other" }), wait)).toThrow(RoutingError);
    const labels = 'model_name="none",target_model_name="none",fairness_id="default-flow",priority="0"';
    const text = await metrics.render();
    expect(text).toContain(`llm_d_epp_request_total{${labels}} 1\n`);
    expect(text).toContain(`llm_d_epp_request_error_total{${labels},error_code="NotFound"} 1\n`);
    expect(text).not.toContain("llm_d_epp_request_running{");
  });
});
