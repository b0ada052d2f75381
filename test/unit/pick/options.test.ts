import { describe, expect, it } from "vitest";
import { overridePickOptions, type PickOptions, resolvePickOptions } from "../../../src/pick/index.ts";

describe("pick options", () => {
  it("default to Dynamo's weights", () => {
    expect(resolvePickOptions()).toEqual({
      overlapScoreCredit: 1,
      overlapScoreCreditDecay: 0,
      prefillLoadScale: 1,
      decodeActiveRequestWeight: 0,
      hostCacheHitWeight: 0.75,
      diskCacheHitWeight: 0.25,
      sharedCacheMultiplier: 0,
      temperature: 0,
      crowdingRatio: 1,
      crowdingSlack: 0,
      tieBreak: "fewest-requests",
    });
  });

  it.each<[PickOptions, string]>([
    [{ temperature: -1 }, "pick.temperature must be a finite number >= 0, got -1"],
    [{ overlapScoreCredit: Number.NaN }, "pick.overlapScoreCredit"],
    [{ prefillLoadScale: Number.POSITIVE_INFINITY }, "pick.prefillLoadScale"],
  ])("refuse %o", (options, message) => {
    expect(() => resolvePickOptions(options)).toThrow(message);
  });

  it("give way to a request's own", () => {
    const options = resolvePickOptions({ temperature: 0.5 });
    expect(overridePickOptions(options, { overlapScoreCredit: 0 })).toEqual({ ...options, overlapScoreCredit: 0 });
    expect(() => overridePickOptions(options, { temperature: -2 })).toThrow("override.temperature");
  });
});
