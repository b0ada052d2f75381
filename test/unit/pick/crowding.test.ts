import { describe, expect, it } from "vitest";
import { passOverCrowded, resolvePickOptions } from "../../../src/pick/index.ts";
import { candidateOf, rankOf, workerOf } from "./candidates.ts";

const options = resolvePickOptions({ crowdingRatio: 1.5, crowdingSlack: 4 });
const running = (activeRequests: number, changes = {}) =>
  candidateOf(rankOf(workerOf(1)), { activeRequests, ...changes });
const exclusions = (candidates: ReturnType<typeof running>[], given = options) =>
  passOverCrowded(candidates, given).map(({ exclusion }) => exclusion);

describe("crowded ranks", () => {
  it("are passed over beyond the slack above the ratio, not at it", () => {
    expect(exclusions([running(2), running(7), running(8)])).toEqual([undefined, undefined, "crowded"]);
  });

  it("are measured by the idlest rank that may be picked", () => {
    const away = running(0, { exclusion: "unhealthy" });
    expect(exclusions([away, running(4), running(10)])).toEqual(["unhealthy", undefined, undefined]);
    expect(exclusions([away, running(4), running(11)])).toEqual(["unhealthy", undefined, "crowded"]);
  });

  it("are never all of them", () => {
    expect(exclusions([running(500)])).toEqual([undefined]);
    expect(exclusions([running(500), running(500)])).toEqual([undefined, undefined]);
  });

  it("count only where the load is known; an unknown one is idle", () => {
    expect(exclusions([running(90, { isLoadKnown: false }), running(5)])).toEqual([undefined, "crowded"]);
  });

  it("keep why they were out already", () => {
    expect(exclusions([running(0), running(50, { exclusion: "not_pinned" })])).toEqual([undefined, "not_pinned"]);
  });

  it("are nobody where the slack is 0, as in Dynamo", () => {
    expect(exclusions([running(0), running(900)], resolvePickOptions())).toEqual([undefined, undefined]);
  });
});
