import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RunningApi } from "./running-api.ts";

let folder: string;
let api: RunningApi | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-route-"));
});

afterEach(async () => {
  await api?.close();
  api = undefined;
  await rm(folder, { recursive: true });
});

const worker = {
  worker_id: 1,
  endpoint: "http://10.0.0.1:8000",
  kv_events_endpoint: "tcp://127.0.0.1:20001",
  block_size: 4,
};

describe("replicas", () => {
  it("are not there where load is not shared", async () => {
    api = await RunningApi.start("mode: reserve");
    await api.call("POST", "/workers", worker);
    expect((await api.call("GET", "/replicas")).body).toEqual({ is_shared: false });
    expect((await api.call("GET", "/workers")).body[0].status.ranks[0]).not.toHaveProperty("sibling_load");
  });
});

describe("tokens", () => {
  it("are asked of everybody but probes, which are not told who the workers are", async () => {
    const tokenFile = join(folder, "tokens");
    await writeFile(tokenFile, "secret\n");
    api = await RunningApi.start(`mode: reserve\nrouteApi: { tokenFile: ${JSON.stringify(tokenFile)} }`);
    const withToken = { authorization: "Bearer secret" };
    expect((await api.call("POST", "/workers", worker)).status).toBe(401);
    expect((await api.call("POST", "/workers", worker, withToken)).status).toBe(201);
    for (const [method, path] of [
      ["POST", "/route"],
      ["GET", "/dump"],
      ["GET", "/loads"],
      ["GET", "/replicas"],
      ["GET", "/workers"],
      ["GET", "/decisions"],
      ["GET", "/decisions/1"],
      ["DELETE", "/reservations/x"],
    ] as const) {
      const answer = await api.call(method, path);
      expect({ path, status: answer.status, code: answer.body.code }).toEqual({
        path,
        status: 401,
        code: "unauthorized",
      });
    }
    expect((await api.call("GET", "/health")).status).toBe(200);
    expect((await api.call("GET", "/ready")).body).toEqual({ ready: true, schedulable_workers: 1, workers: [] });
    expect((await api.call("GET", "/ready", undefined, withToken)).body.workers).toHaveLength(1);
    expect((await api.call("GET", "/dump", undefined, withToken)).status).toBe(200);
  });

  it("must be configured before anybody gets a dump over the network", async () => {
    api = await RunningApi.start("mode: reserve", { listen: "0.0.0.0:0" });
    const answer = await api.call("GET", "/dump");
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 403,
      error: expect.stringContaining("routeApi.tokenFile"),
    });
    expect((await api.call("POST", "/workers", worker)).status).toBe(201);
  });
});

describe("bodies of very many values", () => {
  it.each([
    { name: "unknown members", body: `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join(",")}}` },
    { name: "items of a list", body: `{"token_ids":[1],"allowed_worker_ids":[${"1,".repeat(20_000)}1]}` },
    { name: "empty objects", body: `{"token_ids":[1],"x":[${"{},".repeat(20_000)}{}]}` },
  ])("are refused unread: $name", async ({ body }) => {
    api = await RunningApi.start("mode: reserve");
    for (const path of ["/select", "/route", "/workers"]) {
      const answer = await api.call("POST", path, body);
      expect([answer.status, answer.body.code]).toEqual([413, "body_too_large"]);
    }
    expect((await api.call("POST", "/select", '{"token_ids":[1]}')).status).toBe(503);
  });

  it("are taken as a client's own body, which is read elsewhere", async () => {
    api = await RunningApi.start(
      "mode: reserve\nmodels: [{ name: m, loadOnly: true }]\nworkers: [{ name: a, endpoint: '127.0.0.1:1' }]",
    );
    const message = '{"role":"user","content":"a"}';
    const client = `{"model":"m","messages":[${`${message},`.repeat(20_000)}${message}]}`;
    const answer = await api.call("POST", "/route", `{"request":{"path":"/v1/chat/completions","body":${client}}}`);
    expect([answer.status, answer.body.api]).toEqual([200, "chat"]);
    const broken = await api.call(
      "POST",
      "/route",
      `{"request":{"path":"/v1/chat/completions","body":{"model":"m" 1}}}`,
    );
    expect([broken.status, broken.body.code]).toEqual([400, "invalid_request"]);
  });
});

describe("the document", () => {
  it("names every operation once, each with its answers, and refers to nothing that is not there", async () => {
    api = await RunningApi.start("mode: reserve");
    const { body, text } = await api.call("GET", "/openapi.json");
    expect(body.openapi).toBe("3.1.0");
    const operations = Object.entries(
      body.paths as Record<
        string,
        Record<string, { operationId: string; responses: object; parameters?: { name: string; in: string }[] }>
      >,
    ).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const path of [
      "/route",
      "/route_and_reserve",
      "/reservations/{reservation_id}/prefill_complete",
      "/reservations/{reservation_id}",
      "/select",
      "/select_and_reserve",
      "/reservations",
      "/workers",
      "/workers/{worker_id}",
      "/overlap_scores",
      "/potential_loads",
      "/loads",
      "/decisions",
      "/decisions/{number}",
      "/dump",
      "/ready",
      "/health",
      "/replica_sync/peers",
    ]) {
      expect(Object.keys(body.paths)).toContain(path);
    }
    for (const { path, responses, parameters = [] } of operations) {
      expect(Object.keys(responses)).toContain("default");
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name)).toEqual(named);
    }
    for (const [, reference] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
      expect(Object.keys(body.components.schemas)).toContain(reference);
    }
  });

  it("describes the bodies that are taken: what it requires is refused when it is missing", async () => {
    api = await RunningApi.start("mode: reserve");
    const { body } = await api.call("GET", "/openapi.json");
    for (const [path, operation] of Object.entries(
      body.paths as Record<
        string,
        Record<string, { requestBody?: { content: Record<string, { schema: { required?: readonly string[] } }> } }>
      >,
    )) {
      const schema = operation["post"]?.requestBody?.content["application/json"]?.schema;
      for (const name of schema?.required ?? []) {
        const answer = await api.call("POST", path.replace("{reservation_id}", "x"), {});
        expect({ path, status: answer.status }).toEqual({ path, status: 422 });
        expect(schema?.required).toContain(answer.body.field ?? name);
      }
    }
  });
});

describe("metrics", () => {
  it("count answers by operation and status, refusals before the body included", async () => {
    api = await RunningApi.start("mode: reserve");
    await api.call("GET", "/health");
    await api.call("POST", "/select", { token_ids: [1] });
    await api.call("POST", "/select", "{}", { "content-type": "text/plain" });
    const text = await api.metrics.render();
    expect(text).toContain('pointsman_http_answers_total{operation="health",status="200"} 1');
    expect(text).toContain('pointsman_http_answers_total{operation="select",status="503"} 1');
    expect(text).toContain('pointsman_http_answers_total{operation="select",status="415"} 1');
    expect(text).toContain('pointsman_http_duration_seconds_count{operation="health"} 1');
    expect(text).toContain('pointsman_http_refusals_total{operation="select",code="no_endpoints"} 1');
    expect(text).toContain('pointsman_http_refusals_total{operation="select",code="unsupported_media_type"} 1');
  });

  it("count the workers that callers were told, by whether they booked", async () => {
    api = await RunningApi.start(`
mode: reserve
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]`);
    const request = { path: "/v1/chat/completions", body: { model: "m", messages: [{ role: "user", content: "hi" }] } };
    await api.call("POST", "/route", { request });
    await api.call("POST", "/route_and_reserve", { request, reservation_id: "r" });
    await api.call("POST", "/free", { reservation_id: "r" });
    const text = await api.metrics.render();
    expect(text).toContain('pointsman_picks_total{api="chat",model="m",mode="query"} 1');
    expect(text).toContain('pointsman_picks_total{api="chat",model="m",mode="reserve"} 1');
    expect(text).toContain('pointsman_inexact_total{model="m",reason="load-only model"} 2');
  });
});
