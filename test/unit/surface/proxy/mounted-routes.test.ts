import { describe, expect, it } from "vitest";
import { ServedPaths } from "../../../../src/surface/proxy/index.ts";
import type { MountedRoute } from "../../../../src/surface/proxy/mounted-route.ts";

function route(path: string, method = "POST"): MountedRoute {
  return {
    method,
    path,
    operation: {},
    requestIdOf: () => "r",
    linesOf: () => [],
    errorJson: () => "{}",
    receive: () => undefined,
  };
}

describe("a mounted route", () => {
  it.each([
    { path: "/v1/chat/completions", other: "a route of the proxy's" },
    { path: "/generate", other: "a route of the proxy's" },
    { path: "/v1/embeddings", other: "a route of the proxy's" },
    { path: "/v1/responses/r1/cancel", other: "a route of the proxy's" },
    { path: "/own", other: "a route of the proxy's" },
    { path: "/v1/decisions", other: "another mounted route" },
  ])("at $path conflicts with $other, found by method and path", ({ path, other }) => {
    expect(() => new ServedPaths(["/own", "/below/*"], [route("/v1/decisions"), route(path)])).toThrow(
      `duplicate HTTP route registered: POST ${path} conflicts with ${other}`,
    );
  });

  it.each([
    { path: "/health", method: "GET", kind: "health" },
    { path: "/v1/models", method: "GET", kind: "models" },
    { path: "/v1/models/m", method: "HEAD", kind: "model" },
    { path: "/below/this", method: "GET", kind: "wrong-method" },
    { path: "/jev", method: "GET", kind: "wrong-method" },
  ])("shares $path with what answers $method there", ({ path, method, kind }) => {
    const paths = new ServedPaths(["/below/*"], [route(path)]);
    expect(paths.routeOf("POST", path)).toMatchObject({ kind: "mounted", route: { path } });
    expect(paths.routeOf(method, path)).toMatchObject({ kind });
  });

  it("names its method to callers of another one", () => {
    const paths = new ServedPaths([], [route("/jev")]);
    expect(paths.routeOf("DELETE", "/jev")).toEqual({ kind: "wrong-method", allowed: "POST" });
    expect(paths.routeOf("POST", "/jev/x")).toEqual({ kind: "unknown" });
  });
});
