import { describe, expect, it } from "vitest";
import {
  engineFigures,
  FleetSimulation,
  type Policy,
  plainPolicies,
  type SimulatedRequest,
  simulatedRequestOf,
  summarize,
} from "../../../src/replay/index.ts";

const blockSize = 512;
const engine = { ...engineFigures, blockSize };
const byCost: Policy = { name: "cost", pick: { prefillLoadScale: 8 } };

function request(atMs: number, blockIds: readonly number[], outputTokens = 1): SimulatedRequest {
  const traced = { timestampMs: atMs, inputTokens: blockIds.length * blockSize, outputTokens, blockIds };
  return simulatedRequestOf(traced, { blockSize, speed: 1 });
}

/** Conversations whose turns come one after the other, some at one time. */
const conversations = Array.from({ length: 60 }, (_, turn) => {
  const conversation = turn % 6;
  const ids = Array.from({ length: 2 + Math.floor(turn / 6) }, (_, block) => 1_000 * conversation + block);
  return request(400 * turn, ids, 20);
});

describe("a simulated fleet", () => {
  it("takes the time that its figures say", () => {
    const { ttftMs, totalMs } = new FleetSimulation(byCost, { workers: 1, engine }, 1).run([request(0, [1, 2], 3)]);
    // One step that prefills 1,024 tokens and gives the first token, then two that decode.
    expect(ttftMs).toEqual([8 + 1024 * 0.05]);
    expect(totalMs[0]).toBeCloseTo(8 + 1024 * 0.05 + 2 * (8 + 0.25), 9);
  });

  it("counts what the engine holds: a prompt met again costs its last token only", () => {
    const run = new FleetSimulation(byCost, { workers: 1, engine }, 1).run([request(0, [1, 2]), request(1000, [1, 2])]);
    expect(run.cachedTokens).toBe(1023);
    expect(run.ttftMs[1]).toBeCloseTo(8 + 0.05, 9);
  });

  it("forgets what its cache has no room for", () => {
    const small = { ...engine, cacheBlocks: 2 };
    const requests = [request(0, [1, 2]), request(1000, [3, 4]), request(2000, [1, 2])];
    expect(new FleetSimulation(byCost, { workers: 1, engine: small }, 1).run(requests).cachedTokens).toBe(0);
  });

  it("serves no more than it may at once", () => {
    const requests = [request(0, [1], 10), request(0, [2], 10)];
    const { totalMs } = new FleetSimulation(byCost, { workers: 1, engine: { ...engine, maxRunning: 1 } }, 1).run(
      requests,
    );
    expect(totalMs[1]).toBeCloseTo(2 * (totalMs[0] ?? 0), 9);
  });

  it.each([undefined, 60_000])("keeps conversations where their prefix is (guesses for %s ms)", (guessMs) => {
    const hitRates = [...plainPolicies, byCost].map((policy) => {
      const fleet = { workers: 4, engine, guessMs };
      return [policy.name, summarize(new FleetSimulation(policy, fleet, 1).run(conversations)).hitRate] as const;
    });
    const rates = Object.fromEntries(hitRates);
    const tokens = conversations.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    const repeated = conversations.slice(6).reduce((sum, { promptTokens }) => sum + promptTokens - blockSize, 0);
    expect(rates["cost"]).toBeCloseTo(repeated / tokens, 6);
    expect(rates["random"]).toBeLessThan(repeated / tokens / 1.2);
  });

  it("does the same again with the same seed", () => {
    const [once, again, otherwise] = [1, 1, 2].map((seed) =>
      new FleetSimulation({ name: "random", pick: {}, order: "random" }, { workers: 4, engine }, seed).run(
        conversations,
      ),
    );
    expect(again).toEqual(once);
    expect(otherwise).not.toEqual(once);
  });

  it("does the same with requests that it asks for one by one, however many come at one time", () => {
    const crowd = conversations.map((each, at) => ({ ...each, atMs: 400 * Math.floor(at / 5) }));
    const lazily = new FleetSimulation(byCost, { workers: 4, engine }, 1);
    let asked = 0;
    let come = 0;
    const requests = function* () {
      for (const each of crowd) {
        asked++;
        yield each;
      }
    };
    lazily.addInOrder(requests());
    while (lazily.runNext()) {
      come = lazily.outcome.requests.reduce((sum, count) => sum + count, 0);
      expect(asked - come).toBeLessThanOrEqual(1);
    }
    expect(come).toBe(crowd.length);
    expect(lazily.outcome).toEqual(new FleetSimulation(byCost, { workers: 4, engine }, 1).run(crowd));
  });

  it("goes round where the policy says so", () => {
    const run = new FleetSimulation({ name: "turns", pick: {}, order: "round-robin" }, { workers: 4, engine }, 1);
    expect(run.run(conversations).requests).toEqual([15, 15, 15, 15]);
  });

  it("asks what follows an answer", () => {
    const first: SimulatedRequest = { ...request(0, [1]), next: () => request(100, [1, 2]) };
    const { requests } = new FleetSimulation(byCost, { workers: 1, engine }, 1).run([first]);
    expect(requests).toEqual([2]);
  });
});
