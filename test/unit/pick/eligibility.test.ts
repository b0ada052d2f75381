import { describe, expect, it } from "vitest";
import type { Worker, WorkerId } from "../../../src/fleet/index.ts";
import { assertConsistent, type Constraints, exclusionOf, preferenceOf } from "../../../src/pick/index.ts";
import { rankOf, workerOf } from "./candidates.ts";

const id = (n: number) => BigInt(n) as WorkerId;

describe("exclusionOf", () => {
  const cases: {
    name: string;
    worker?: Partial<Worker>;
    constraints?: Constraints;
    overloaded?: boolean;
    why?: string;
  }[] = [
    { name: "a healthy worker without demands" },
    { name: "a worker of unknown health", worker: { health: "unknown" } },
    { name: "an unhealthy worker", worker: { health: "unhealthy" }, why: "unhealthy" },
    { name: "a draining worker", worker: { isDraining: true }, why: "draining" },
    { name: "an overloaded rank", overloaded: true, why: "overloaded" },
    {
      name: "an overloaded rank outside the subset",
      overloaded: true,
      constraints: { subset: new Set() },
      why: "outside_subset",
    },
    { name: "an overloaded unhealthy rank", overloaded: true, worker: { health: "unhealthy" }, why: "unhealthy" },
    {
      name: "another role",
      worker: { role: "prefill" },
      constraints: { roles: new Set(["decode"]) },
      why: "wrong_role",
    },
    { name: "an allowed id", constraints: { allowed: new Set([id(1)]) } },
    { name: "an id not allowed", constraints: { allowed: new Set([id(2)]) }, why: "not_allowed" },
    { name: "the pinned worker", constraints: { pinned: { workerId: id(1) } } },
    { name: "the pinned rank", constraints: { pinned: { workerId: id(1), dpRank: 1 } } },
    {
      name: "another rank of the pinned worker",
      constraints: { pinned: { workerId: id(1), dpRank: 0 } },
      why: "not_pinned",
    },
    { name: "another worker than the pinned", constraints: { pinned: { workerId: id(2) } }, why: "not_pinned" },
    {
      name: "all required taints",
      worker: { taints: new Set(["a", "b"]) },
      constraints: { requiredTaints: ["a", "b"] },
    },
    {
      name: "one required taint of two",
      worker: { taints: new Set(["a"]) },
      constraints: { requiredTaints: ["a", "b"] },
      why: "missing_taint",
    },
    { name: "an adapter that is loaded", worker: { adapters: new Set(["a"]) }, constraints: { adapter: "a" } },
    {
      name: "an adapter that is not",
      worker: { adapters: new Set(["a"]) },
      constraints: { adapter: "b" },
      why: "adapter_not_loaded",
    },
    { name: "an adapter, of a worker that does not say", constraints: { adapter: "b" } },
    { name: "no adapter, of a worker that has some", worker: { adapters: new Set(["a"]) } },
  ];

  it.each(cases)("$name: $why", ({ worker, constraints = {}, overloaded = false, why }) => {
    expect(exclusionOf(rankOf(workerOf(1, worker), 1), constraints, overloaded)).toBe(why);
  });

  it("takes a worker that the subset names, by identity", () => {
    const worker = workerOf(1);
    expect(exclusionOf(rankOf(worker), { subset: new Set([worker]) }, false)).toBeUndefined();
    expect(exclusionOf(rankOf(workerOf(1)), { subset: new Set([worker]) }, false)).toBe("outside_subset");
  });
});

describe("assertConsistent", () => {
  it("refuses a pinned worker that is not allowed", () => {
    const constraints = { pinned: { workerId: id(2) }, allowed: new Set([id(1)]) };
    expect(() => assertConsistent(constraints)).toThrow(
      expect.objectContaining({ code: "invalid_request", message: "pinned worker 2 is not in allowed worker set" }),
    );
  });

  it.each<Constraints>([
    {},
    { pinned: { workerId: id(2) } },
    { pinned: { workerId: id(1) }, allowed: new Set([id(1)]) },
  ])("accepts %o", (constraints) => {
    expect(() => assertConsistent(constraints)).not.toThrow();
  });
});

describe("preferenceOf", () => {
  it("sums the weights of the taints that the worker has", () => {
    const worker = workerOf(1, { taints: new Set(["a", "b", "c"]) });
    const preferredTaints = new Map([
      ["a", 1],
      ["b", -0.25],
      ["z", 8],
    ]);
    expect(preferenceOf(worker, { preferredTaints })).toBe(0.75);
    expect(preferenceOf(worker, {})).toBe(0);
  });
});
