import { describe, expect, it } from "vitest";
import { type CallerOptions, Callers, type QueueApiKey } from "../../../../src/surface/queue/callers.ts";

const options: CallerOptions = {
  trustsHeaders: true,
  headers: { tenant: "x-tenant-id", team: "x-team", tier: "x-tier", priority: "x-priority" },
  defaults: { tier: "standard" },
  metadata: { userid: "tenant", team: "team", key: "key", model: "model" },
  routes: [
    { models: ["big"], tiers: ["gold"], queue: "big-gold" },
    { tiers: ["gold", "silver"], queue: "metal" },
    { tenants: ["t"], priorities: ["1"], queue: "first" },
  ],
  defaultQueue: "rest",
};

const key: QueueApiKey = { name: "a", sha256: "", requestsPerMinute: 0, maxConcurrent: 0 };

function headers(lines: Readonly<Record<string, string>>) {
  return { get: (name: string) => lines[name] };
}

function placed(lines: Readonly<Record<string, string>>, own?: Partial<QueueApiKey>, model?: string) {
  const callers = new Callers(options);
  const known = own === undefined ? undefined : { ...key, ...own };
  return callers.place(callers.traitsOf(headers(lines), known), known, model, headers(lines));
}

describe("the queue of a request", () => {
  it.each([
    ["the first that matches all", { "x-tier": "gold" }, undefined, "big", "big-gold"],
    ["one of several words", { "x-tier": "silver" }, undefined, "big", "metal"],
    ["two traits", { "x-tenant-id": "t", "x-priority": "1" }, undefined, undefined, "first"],
    ["none", { "x-tenant-id": "t" }, undefined, undefined, "rest"],
    ["the key's trait before the header's", { "x-tier": "gold" }, { tier: "bronze" }, "big", "rest"],
    ["the key's own queue before all", { "x-tier": "gold" }, { queue: "own" }, "big", "own"],
    ["an empty header is none", { "x-tier": "" }, undefined, undefined, "rest"],
  ] as const)("is that of %s", (_what, lines, own, model, queue) => {
    expect(placed(lines as Readonly<Record<string, string>>, own, model).queue).toBe(queue);
  });
});

describe("what gates are told", () => {
  it("is what is known, under the names that they look for", () => {
    expect(placed({ "x-tenant-id": "t" }, { team: "blue" }, "m").metadata).toEqual({
      userid: "t",
      team: "blue",
      key: "a",
      model: "m",
    });
  });

  it("has the trace of a request that has one", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    expect(placed({ traceparent, tracestate: "a=b" }).metadata).toEqual({ traceparent, tracestate: "a=b" });
    expect(placed({ traceparent: "nonsense", tracestate: "a=b" }).metadata).toEqual({});
  });

  it.each(["a b", "a:b", "é", "x".repeat(257)])("is never %j", (value) => {
    expect(() => placed({ "x-team": value })).toThrow("x-team");
  });
});
