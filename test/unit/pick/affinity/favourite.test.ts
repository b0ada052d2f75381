import { describe, expect, it } from "vitest";
import { choose, favour, passOverCrowded, resolvePickOptions } from "../../../../src/pick/index.ts";
import { candidateOf, rankOf, request, workerOf } from "../candidates.ts";

const ranks = [1, 2, 3].map((id) => rankOf(workerOf(id)));
/** Idle ranks but for the decode blocks given, so that costs are 10 and those. */
const candidates = (...loads: readonly number[]) =>
  ranks.map((rank, i) => candidateOf(rank, { activeDecodeBlocks: loads[i] ?? 0 }));
const soft = { mode: "soft" as const, softRatio: 0.5, softBlocks: 2 };

function picked(pool: ReturnType<typeof candidates>, bound = ranks[1], affinity: Parameters<typeof favour>[2] = soft) {
  const favoured = favour(pool, bound, affinity);
  return choose(favoured.candidates, request, resolvePickOptions(), () => 0, favoured.favourite).chosen;
}

describe("a session's worker", () => {
  it.each([
    { name: "is kept while it is not much dearer", load: 7, chosen: 1 },
    { name: "is left when another is much cheaper", load: 7.5, chosen: 0 },
  ])("$name", ({ load, chosen }) => {
    expect(picked(candidates(0, load, 0))).toBe(chosen);
  });

  it("is kept among equals: of an unknown prompt all that counts", () => {
    expect(picked(candidates(0, 0, 0))).toBe(1);
  });

  it.each(["draining", "overloaded", "outside_subset"] as const)("is left when it is %s, soft or hard", (exclusion) => {
    const pool = candidates(0, 0, 5).map((each, i) => (i === 1 ? { ...each, exclusion } : each));
    expect(picked(pool)).toBe(0);
    expect(picked(pool, ranks[1], { ...soft, mode: "hard" })).toBe(0);
  });

  it("is the only one with hard affinity, whatever it costs; explanations say why the others were not", () => {
    const pool = candidates(0, 900, 0).map((each, i) => (i === 2 ? { ...each, exclusion: "draining" as const } : each));
    expect(picked(pool, ranks[1], { ...soft, mode: "hard" })).toBe(1);
    const { candidates: left } = favour(pool, ranks[1], { ...soft, mode: "hard" });
    expect(left.map(({ exclusion }) => exclusion)).toEqual(["other_session", undefined, "draining"]);
  });

  it("does not count where affinity is off or the session is new", () => {
    expect(picked(candidates(0, 0, 0), ranks[1], { ...soft, mode: "off" })).toBe(0);
    expect(favour(candidates(0, 0, 0), undefined, soft).favourite).toBeUndefined();
  });

  it("is left by soft affinity when it is crowded", () => {
    const options = resolvePickOptions({ crowdingSlack: 2 });
    const pool = candidates(0, 0, 0).map((each, i) => (i === 1 ? { ...each, activeRequests: 3 } : each));
    const { candidates: favoured, favourite } = favour(pool, ranks[1], soft);
    expect(choose(passOverCrowded(favoured, options), request, options, () => 0, favourite).chosen).toBe(0);
  });
});
