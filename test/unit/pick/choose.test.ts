import { describe, expect, it } from "vitest";
import { choose, fallbackOrder, resolvePickOptions } from "../../../src/pick/index.ts";
import { candidateOf, rankOf, request, workerOf } from "./candidates.ts";

const options = resolvePickOptions();
const never = (): number => {
  throw new Error("random must not be asked");
};

describe("choose", () => {
  it("breaks a tie by the fewest running requests, without chance", () => {
    const candidates = [3, 1, 2].map((activeRequests, i) => candidateOf(rankOf(workerOf(i + 1)), { activeRequests }));
    expect(choose(candidates, request, options, never).chosen).toBe(1);
  });

  it.each([
    { random: 0, chosen: 0 },
    { random: 0.49, chosen: 0 },
    { random: 0.5, chosen: 2 },
    { random: 0.999, chosen: 2 },
  ])("draws among what is still tied: $random", ({ random, chosen }) => {
    const candidates = [1, 2, 1].map((activeRequests, i) => candidateOf(rankOf(workerOf(i + 1)), { activeRequests }));
    expect(choose(candidates, request, options, () => random).chosen).toBe(chosen);
  });

  it("ignores running requests in a tie when told to be as Dynamo", () => {
    const candidates = [0, 5, 0].map((activeRequests, i) => candidateOf(rankOf(workerOf(i + 1)), { activeRequests }));
    const asDynamo = resolvePickOptions({ tieBreak: "random" });
    expect(choose(candidates, request, asDynamo, () => 0.5).chosen).toBe(1);
  });

  it("lets cost come before the number of requests", () => {
    const candidates = [
      candidateOf(rankOf(workerOf(1)), { activeRequests: 0, activeDecodeBlocks: 1 }),
      candidateOf(rankOf(workerOf(2)), { activeRequests: 9 }),
    ];
    expect(choose(candidates, request, options, never).chosen).toBe(1);
  });

  it("gives ineligible candidates no cost and never picks them", () => {
    const candidates = [
      candidateOf(rankOf(workerOf(1)), { exclusion: "unhealthy", deviceBlocks: 10 }),
      candidateOf(rankOf(workerOf(2)), { activeDecodeBlocks: 100 }),
    ];
    const choice = choose(candidates, request, options, never);
    expect(choice.chosen).toBe(1);
    expect([...choice.costs]).toEqual([Number.NaN, 110]);
  });

  it("passes ineligible candidates over when it samples", () => {
    const candidates = [
      candidateOf(rankOf(workerOf(1)), { exclusion: "draining" }),
      candidateOf(rankOf(workerOf(2))),
      candidateOf(rankOf(workerOf(3)), { exclusion: "draining" }),
    ];
    const hot = resolvePickOptions({ temperature: 1 });
    for (const sample of [0, 0.5, 0.999_999]) expect(choose(candidates, request, hot, () => sample).chosen).toBe(1);
  });

  it.each([1e-320, Number.MIN_VALUE, 1e308])("samples at temperature %s without losing the cheapest", (temperature) => {
    const candidates = [9, 1, 5].map((activeDecodeBlocks, i) =>
      candidateOf(rankOf(workerOf(i + 1)), { activeDecodeBlocks }),
    );
    const extreme = resolvePickOptions({ temperature });
    const chosen = choose(candidates, request, extreme, () => 0.5).chosen;
    expect(chosen).toBe(1);
  });

  it("leaves an overloaded rank's idleness out of the credit decay", () => {
    const decaying = resolvePickOptions({ overlapScoreCreditDecay: 1 });
    const busy = candidateOf(rankOf(workerOf(1)), { deviceBlocks: 10, activePrefillTokens: 160 });
    const idle = candidateOf(rankOf(workerOf(2)), { exclusion: "overloaded" });
    expect(choose([busy, idle], request, decaying, never).costs[0]).toBe(10);
  });

  it.each([
    { name: "nothing at all", exclusions: [], code: "no_endpoints" },
    { name: "nothing eligible", exclusions: ["unhealthy", "outside_subset"] as const, code: "no_endpoints" },
    { name: "overload only", exclusions: ["overloaded", "overloaded"] as const, code: "saturated" },
    { name: "overload of what is allowed", exclusions: ["not_pinned", "overloaded"] as const, code: "saturated" },
  ])("refuses $name with $code", ({ exclusions, code }) => {
    const candidates = exclusions.map((exclusion, i) => candidateOf(rankOf(workerOf(i + 1)), { exclusion }));
    const pick = () => choose(candidates, request, options, never);
    expect(pick).toThrow(expect.objectContaining({ code }));
  });
});

describe("fallbackOrder", () => {
  const two = workerOf(2);
  const candidates = [
    candidateOf(rankOf(workerOf(1)), { activeDecodeBlocks: 30 }),
    candidateOf(rankOf(two, 0)),
    candidateOf(rankOf(two, 1), { activeDecodeBlocks: 1 }),
    candidateOf(rankOf(workerOf(3)), { activeDecodeBlocks: 20 }),
    candidateOf(rankOf(workerOf(4)), { exclusion: "unhealthy" }),
  ];
  const choice = choose(candidates, request, options, never);

  it("goes by cost, with each worker once and the picked one not at all", () => {
    expect(choice.chosen).toBe(1);
    expect(fallbackOrder(candidates, choice, 9)).toEqual([3, 0]);
  });

  it("keeps to its limit", () => {
    expect(fallbackOrder(candidates, choice, 1)).toEqual([3]);
    expect(fallbackOrder(candidates, choice, 0)).toEqual([]);
  });
});
