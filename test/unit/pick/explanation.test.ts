import { describe, expect, it } from "vitest";
import { choose, explain, resolvePickOptions } from "../../../src/pick/index.ts";
import { candidateOf, rankOf, request, workerOf } from "./candidates.ts";

describe("explain", () => {
  const options = resolvePickOptions();
  const candidates = [
    candidateOf(rankOf(workerOf(1)), {
      deviceBlocks: 4,
      activePrefillTokens: 32,
      activeDecodeBlocks: 3,
      blocksNotActive: 10,
    }),
    candidateOf(rankOf(workerOf(2)), { exclusion: "draining" }),
    candidateOf(rankOf(workerOf(3)), { isLoadKnown: false }),
  ];
  const choice = choose(candidates, request, options, () => 0);
  const explanation = explain(candidates, request, options, choice);

  it("shows the cost that the choice was made by, with its terms", () => {
    expect(explanation.candidates.map(({ terms }) => terms?.cost)).toEqual([21, undefined, 10]);
    expect(explanation.candidates[0]?.terms).toEqual({
      cachedTokens: 64,
      prefillBlocks: 12,
      creditBlocks: 4,
      creditDecay: 1,
      decodeBlocks: 13,
      requestBlocks: 0,
      preferenceFactor: 1,
      cost: 21,
    });
    expect([explanation.chosen, explanation.tied, explanation.promptBlocks]).toEqual([2, 1, 10]);
  });

  it("shows overlap, load and what excluded whom", () => {
    expect(explanation.candidates[0]).toMatchObject({
      workerId: "1",
      endpoint: "10.0.0.1:8000",
      overlapBlocks: { device: 4, host: 0, disk: 0, sharedCache: 0 },
      load: { prefillTokens: 32, decodeBlocks: 3, requests: 0, siblingRequests: 0, foreignRequests: 0 },
    });
    expect(explanation.candidates[1]?.exclusion).toBe("draining");
    expect(explanation.candidates[2]?.load).toBeUndefined();
  });

  it("can be printed as JSON", () => {
    expect(JSON.parse(JSON.stringify(explanation))).toMatchObject({ chosen: 2, phase: "decode" });
  });

  it("explains a refusal too", () => {
    const none = explain([candidateOf(rankOf(workerOf(1)), { exclusion: "unhealthy" })], request, options, undefined);
    expect([none.chosen, none.tied, none.candidates[0]?.exclusion]).toEqual([undefined, 0, "unhealthy"]);
  });
});
