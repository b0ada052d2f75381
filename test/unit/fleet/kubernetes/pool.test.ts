import { describe, expect, it } from "vitest";
import { labelSelectorOf, parseLabelSelector, readPool } from "../../../../src/fleet/kubernetes/pool.ts";

const selector = { matchLabels: { app: "vllm", tier: "large" } };
const ports = (...numbers: readonly unknown[]) => numbers.map((number) => ({ number }));
const pool = (spec: object, metadata: object = {}) => readPool({ metadata: { name: "pool", ...metadata }, spec });

describe("readPool", () => {
  it("reads selector, ports and protocol", () => {
    const labels = new Map([
      ["app", "vllm"],
      ["tier", "large"],
    ]);
    expect(pool({ selector, targetPorts: ports(8000, 8001) })).toEqual({
      selector: labels,
      targetPorts: [8000, 8001],
      isH2c: false,
    });
    expect(pool({ selector, targetPorts: ports(1), appProtocol: "kubernetes.io/h2c" })).toMatchObject({ isH2c: true });
  });

  it("reads v1alpha2 of the older group", () => {
    expect(pool({ selector: { app: "vllm" }, targetPortNumber: 8000 })).toEqual({
      selector: new Map([["app", "vllm"]]),
      targetPorts: [8000],
      isH2c: false,
    });
  });

  it("takes a pool that is being deleted for gone", () => {
    expect(pool({ selector, targetPorts: ports(1) }, { deletionTimestamp: "2026-01-01T00:00:00Z" })).toBe("deleted");
  });

  it.each([
    { name: "no selector", spec: { targetPorts: ports(8000) }, fault: "spec.selector.matchLabels is empty" },
    {
      name: "an empty one",
      spec: { selector: { matchLabels: {} }, targetPorts: ports(8000) },
      fault: "spec.selector.matchLabels is empty",
    },
    { name: "no ports", spec: { selector, targetPorts: [] }, fault: "spec.targetPorts must have 1 to 8 entries" },
    {
      name: "nine ports",
      spec: { selector, targetPorts: ports(1, 2, 3, 4, 5, 6, 7, 8, 9) },
      fault: "spec.targetPorts must have 1 to 8 entries",
    },
    {
      name: "port 0",
      spec: { selector, targetPorts: ports(0) },
      fault: "spec.targetPorts: number must be from 1 to 65535",
    },
    {
      name: "a port that is text",
      spec: { selector, targetPorts: ports("8000") },
      fault: "spec.targetPorts: number must be from 1 to 65535",
    },
    {
      name: "a port twice",
      spec: { selector, targetPorts: ports(1, 1) },
      fault: "spec.targetPorts: a number is there twice",
    },
    { name: "no spec", spec: undefined as unknown as object, fault: "spec.selector.matchLabels is empty" },
  ])("refuses $name", ({ spec, fault }) => {
    expect(pool(spec)).toEqual({ fault });
  });
});

it("labels are written as they are read", () => {
  expect(labelSelectorOf(parseLabelSelector("app=vllm, llm-d.ai/x=,tier=large"))).toBe(
    "app=vllm,llm-d.ai/x=,tier=large",
  );
});
