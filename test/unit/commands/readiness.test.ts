import { expect, it } from "vitest";
import { readinessOf } from "../../../src/commands/readiness.ts";
import { loadConfig } from "../../../src/config/index.ts";

function of(text: string) {
  return readinessOf(loadConfig({ text, env: {} }));
}

it("a picker waits for its models, and says so", () => {
  const readiness = of("{}");
  expect([readiness.isReady, readiness.reasons]).toEqual([false, ["the models are being loaded"]]);
  readiness.set("models", false);
  expect([readiness.isReady, readiness.reasons]).toEqual([true, []]);
});

it("for peers and for Kubernetes where it has them", () => {
  const readiness = of("{kubernetes: {poolName: p}, replicas: {peers: {urls: ['http://peer:8092']}}}");
  for (const obstacle of ["models", "recovery"] as const) readiness.set(obstacle, false);
  expect(readiness.reasons).toEqual([expect.stringContaining("Kubernetes")]);
  readiness.set("workers", false);
  expect(readiness.isReady).toBe(true);
});

it("one that drains is not ready any more", () => {
  const readiness = of("{}");
  readiness.set("models", false);
  readiness.set("draining", true);
  expect([readiness.isReady, readiness.reasons]).toEqual([false, ["it is draining, and takes no new requests"]]);
});
