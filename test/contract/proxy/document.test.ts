import { afterEach, expect, it } from "vitest";
import { call } from "../../support/proxy/raw-client.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

it("/openapi.json describes what is served, and nothing else", async () => {
  const { proxy } = await bench.start(1, { settings: 'proxy: { paths: ["/engine/*"] }' });
  const answer = await call(proxy.url, { method: "GET", path: "/openapi.json" });
  expect([answer.status, answer.headers["content-type"]]).toEqual([200, "application/json"]);
  const { openapi, info, paths } = JSON.parse(answer.body.toString());
  expect([openapi, info.description]).toEqual(["3.1.0", expect.stringContaining("/engine/*")]);
  const ids = new Set<string>();
  for (const [path, methods] of Object.entries<Record<string, { operationId: string }>>(paths)) {
    for (const [method, { operationId }] of Object.entries(methods)) {
      ids.add(operationId);
      const body =
        method === "post"
          ? { model: "m", messages: [{ role: "user", content: "x" }], prompt: "x", input: "x", max_tokens: 1 }
          : undefined;
      const told = await call(proxy.url, {
        method: method.toUpperCase(),
        path: path.replace(/\{\w+\}/, "m"),
        ...(body && { body }),
      });
      // Of an answer that nobody made nobody knows.
      const isStored = path.includes("/responses/{");
      expect([path, told.status]).toEqual([path, isStored ? 404 : 200]);
      if (isStored) expect(told.body.toString()).toContain("unknown_response");
    }
  }
  const count = Object.values<object>(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  expect(ids.size).toBe(count);
  for (const path of [
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/responses",
    "/v1/messages",
    "/generate",
    "/v1/embeddings",
    "/v1/rerank",
    "/tokenize",
    "/v1/messages/count_tokens",
  ]) {
    expect(Object.keys(paths)).toContain(path);
  }
});
