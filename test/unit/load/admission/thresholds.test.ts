import { describe, expect, it } from "vitest";
import { isBusy, isLimiting } from "../../../../src/load/index.ts";

const none = { maxPrefillTokens: 0, maxKvUsage: 0, maxRequests: 0 };
const idle = { prefillTokens: 0, decodeBlocks: 0, requests: 0 };

describe("a busy rank", () => {
  it.each([
    { limit: { maxPrefillTokens: 100 }, load: { prefillTokens: 100 }, busy: false },
    { limit: { maxPrefillTokens: 100 }, load: { prefillTokens: 101 }, busy: true },
    { limit: { maxRequests: 4 }, load: { requests: 3 }, busy: false },
    { limit: { maxRequests: 4 }, load: { requests: 4 }, busy: true },
    { limit: { maxKvUsage: 0.9 }, load: { decodeBlocks: 900 }, busy: false },
    { limit: { maxKvUsage: 0.9 }, load: { decodeBlocks: 901 }, busy: true },
    { limit: {}, load: { prefillTokens: 1e9, decodeBlocks: 1e9, requests: 1e9 }, busy: false },
  ])("of $load under $limit: $busy", ({ limit, load, busy }) => {
    expect(isBusy({ ...idle, ...load }, 1_000, { ...none, ...limit })).toBe(busy);
    expect(isBusy(idle, 1_000, { ...none, ...limit })).toBe(false);
  });

  it("is not one whose blocks are not counted", () => {
    expect(isBusy({ ...idle, decodeBlocks: 1e9 }, undefined, { ...none, maxKvUsage: 0.5 })).toBe(false);
  });

  it("is only where a limit is set", () => {
    expect(isLimiting(none)).toBe(false);
    for (const name of ["maxPrefillTokens", "maxKvUsage", "maxRequests"])
      expect(isLimiting({ ...none, [name]: 1 })).toBe(true);
  });
});
