import { describe, expect, it } from "vitest";
import { assembleCore } from "../../../src/commands/assemble.ts";
import { ObservedRouter } from "../../../src/commands/observed-router.ts";
import { RewritingRouter } from "../../../src/commands/rewriting-router.ts";
import { servedModels } from "../../../src/commands/served-models.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import type { RouteRequest } from "../../../src/router/index.ts";
import { createLogger, Metrics } from "../../../src/telemetry/index.ts";

const settings = `
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]
modelRewrites: [{ models: [alias], targets: [{ model: m }] }]
`;

/** @param textBytes of the prompt; from a quarter of a MiB on, bodies are looked through between other work */
function requestOf(textBytes: number): RouteRequest {
  return {
    path: "/v1/completions",
    headers: { get: () => undefined, getAll: () => [] },
    body: Buffer.from(JSON.stringify({ prompt: "x".repeat(textBytes), model: "alias" })),
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient: false,
  };
}

function start() {
  const config = loadConfig({ env: {}, flags: { set: [] }, text: settings });
  const { registry } = servedModels(config);
  const core = assembleCore(config, { models: registry, random: () => 0, jsonReader: new JsonReader({}) });
  const metrics = new Metrics({ models: ["m"], version: "1" });
  const router = new ObservedRouter(core.router, metrics.requests, createLogger({ level: "silent" }));
  return new RewritingRouter(router, core.rewrites);
}

describe("a request that is rewritten", () => {
  it.each([10, 1_000_000])("is picked for under its new name, with %d bytes", async (textBytes) => {
    const router = start();
    const decision = await router.route(requestOf(textBytes), { signal: new AbortController().signal });
    expect(decision.rewrite).toMatchObject({ requested: "alias", target: "m" });
    decision.reservation.release();
  });

  it("is not picked for any more once nobody waits, since its bytes may be another's then", async () => {
    const router = start();
    const stop = new AbortController();
    const request = requestOf(1_000_000);
    const decision = router.route(request, { signal: stop.signal });
    stop.abort(new Error("the client has left"));
    request.body.fill(0);
    await expect(decision).rejects.toThrow("the client has left");
  });
});
