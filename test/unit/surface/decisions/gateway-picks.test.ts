import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../../src/errors/index.ts";
import { JsonReader } from "../../../../src/json/index.ts";
import {
  ModelRegistry,
  ModelRewrites,
  type RouteRequest,
  rewriteModel,
  ScoringPicks,
} from "../../../../src/router/index.ts";
import { GatewayPicks } from "../../../../src/surface/decisions/index.ts";
import { jevBody, openAiBody } from "../../../support/decisions/bodies.ts";
import { errorRow } from "../../../support/decisions/error-rows.ts";
import { fixture } from "../../router/fixture.ts";

const scoring = {
  saltField: "cache_salt",
  contextTokens: undefined,
  measuresCachedTokens: true,
  maxCandidates: 255,
} as const;

const wait = { signal: new AbortController().signal };

function gateway(serviceEndpoint?: string) {
  const { router, catalogue, model, loads } = fixture({
    workers: [
      { name: "chats", endpoint: "10.0.0.1:8000" },
      { name: "scores", endpoint: "10.0.0.2:8000", scoring },
    ],
  });
  const asked: RouteRequest[] = [];
  const rule = { models: ["renamed"], targets: [{ model: model.name, weight: undefined }] };
  const rewrites = new ModelRewrites([rule], () => 0);
  const picks = new GatewayPicks({
    others: {
      route: (request) => {
        asked.push(request);
        throw new RoutingError("the others' answer", { code: "no_endpoints" });
      },
      rewrite: (body, headers) => rewriteModel(body, headers, rewrites),
    },
    picks: new ScoringPicks(router, new ModelRegistry([model]), catalogue),
    systemonePath: "/jev",
    modelAliases: { "jev-latest": model.name },
    serviceEndpoint,
    retryAfterSeconds: 1,
    bounds: { reader: new JsonReader({}), maxValues: 1_000 },
  });
  return { picks, asked, model, catalogue, loads };
}

function request(path: string, body: object, headers: Readonly<Record<string, string>> = {}): RouteRequest {
  const all: Readonly<Record<string, string>> = {
    ":method": "POST",
    ":path": path,
    "content-type": "application/json",
    ...headers,
  };
  return {
    path,
    headers: { get: (name) => all[name], getAll: () => [] },
    body: Buffer.from(JSON.stringify(body)),
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: false,
  };
}

function refusalOf(run: () => unknown): RoutingError {
  try {
    run();
  } catch (error) {
    if (error instanceof RoutingError) return error;
  }
  throw new Error("it was not refused");
}

describe("a gateway's typed decisions", () => {
  it.each([
    { path: "/v1/decisions", body: openAiBody },
    { path: "/jev?x=1", body: { ...jevBody, model: "jev-latest" } },
  ])("on $path go to a worker that scores, and are load there", async ({ path, body }) => {
    const { picks, model, loads, catalogue } = gateway();
    const named = body.model === "jev-latest" ? body : { ...body, model: model.name };
    const decision = await picks.route(request(path, named), wait);
    expect(decision).toMatchObject({ endpoint: "10.0.0.2:8000", model: model.name, bodyEdit: undefined });
    const slot = catalogue.byEndpoint("10.0.0.2:8000")?.ranks[0]?.slot ?? -1;
    expect(loads.activeRequests(slot)).toBe(1);
    decision.reservation.release();
    expect(loads.activeRequests(slot)).toBe(0);
  });

  it.each([
    { name: "a body of another shape", row: "schema violation", body: { ...openAiBody, stream: true }, headers: {} },
    { name: "an unknown model", row: "unknown model", body: { ...openAiBody, model: "n" }, headers: {} },
    { name: "another content type", row: "content-type missing", body: {}, headers: { "content-type": "text/plain" } },
  ])("are refused in the contract's words: $name", ({ row, body, headers }) => {
    const { picks, asked } = gateway();
    const { answer } = refusalOf(() => picks.route(request("/v1/decisions", body, headers), wait));
    const { status, body: expected } = errorRow(row).openai;
    expect([answer?.status, JSON.parse(answer?.body ?? "null")]).toEqual([status, expected]);
    expect(answer?.headers.map(([name]) => name)).toEqual(["x-request-id", "x-typesafe-request-id"]);
    expect(asked).toEqual([]);
  });

  it.each([
    { name: "small", filling: "x" },
    { name: "large", filling: "x".repeat(300_000) },
  ])("go on under the name that rules want for their model: a $name one", async ({ filling }) => {
    const { picks, model } = gateway();
    const decision = await picks.route(request("/jev", { ...jevBody, model: "renamed", state: filling }), wait);
    expect(decision).toMatchObject({ endpoint: "10.0.0.2:8000", model: model.name });
    expect(decision.rewrite).toMatchObject({ requested: "renamed", target: model.name });
    expect(JSON.parse(decision.rewrite?.body.toString() ?? "null")).toEqual({
      ...jevBody,
      model: model.name,
      state: filling,
    });
    decision.reservation.release();
  });

  it("are refused for want of a worker", () => {
    const { picks, catalogue, model } = gateway();
    for (const worker of catalogue.workers()) catalogue.setDraining(worker, true);
    const { answer } = refusalOf(() => picks.route(request("/jev", { ...jevBody, model: model.name }), wait));
    const { status, body } = errorRow("model known, no live").systemone;
    expect([answer?.status, JSON.parse(answer?.body ?? "null")]).toEqual([status, body]);
  });

  it("go to the service that makes them, unread, where there is one", async () => {
    const { picks, asked } = gateway("10.0.0.9:8000");
    const decision = await picks.route(request("/v1/decisions", { any: "thing" }), wait);
    expect(decision).toMatchObject({ endpoint: "10.0.0.9:8000", fallbacks: [], headers: [] });
    expect(asked).toEqual([]);
  });

  it.each([
    { name: "another path", changed: request("/v1/chat/completions", {}) },
    { name: "the path that is set otherwise", changed: request("/v1/systemone", jevBody) },
    { name: "another method", changed: request("/v1/decisions", {}, { ":method": "GET" }) },
  ])("are none: $name", ({ changed }) => {
    const { picks, asked } = gateway();
    expect(() => picks.route(changed, wait)).toThrow("the others' answer");
    expect(asked).toEqual([changed]);
  });
});
