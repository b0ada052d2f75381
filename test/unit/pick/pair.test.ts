import { describe, expect, it } from "vitest";
import { choosePair, type PairTopology, resolvePickOptions } from "../../../src/pick/index.ts";
import { candidateOf, rankOf, request, workerOf } from "./candidates.ts";

const options = resolvePickOptions();
/** 160 tokens in blocks of 16. */
const promptBlocks = 10;

/** A candidate in a zone whose cost is `load` blocks more than an idle one's. */
function inZone(id: number, zone: string | undefined, load: number, changes = {}) {
  const labels = new Map(zone === undefined ? [] : [["zone", zone]]);
  return candidateOf(rankOf(workerOf(id, { labels })), { activeDecodeBlocks: load, ...changes });
}

function pick(
  prefill: ReturnType<typeof inZone>[],
  decode: ReturnType<typeof inZone>[],
  topology: Partial<PairTopology> = {},
) {
  const chosen = choosePair(
    { candidates: prefill, request: { ...request, phase: "prefill" }, options },
    { candidates: decode, request: { ...request, tracksPrefill: false }, options },
    { label: "zone", enforcement: "prefer", crossDomainWeight: 1, ...topology },
    () => 0,
  );
  const id = ({ candidates, choice }: typeof chosen.prefill) => Number(candidates[choice.chosen]?.rank.worker.id);
  return { pair: [id(chosen.prefill), id(chosen.decode)], chosen };
}

describe("a pair of workers", () => {
  it("is each phase's cheapest where topology does not count", () => {
    const { pair } = pick([inZone(1, "a", 5), inZone(2, "b", 0)], [inZone(3, "a", 0), inZone(4, "b", 5)], {
      label: undefined,
    });
    expect(pair).toEqual([2, 3]);
  });

  it.each([
    { name: "stays in one domain while that costs less than the move", load: promptBlocks - 1, pair: [2, 4] },
    { name: "crosses domains once the near worker is dearer than the move", load: promptBlocks + 1, pair: [2, 3] },
  ])("$name", ({ load, pair }) => {
    const prefill = [inZone(2, "b", 0)];
    expect(pick(prefill, [inZone(3, "a", 0), inZone(4, "b", load)]).pair).toEqual(pair);
  });

  it("is chosen as a whole: a dearer prefill worker wins by the decode worker beside it", () => {
    const prefill = [inZone(1, "a", 0), inZone(2, "b", 3)];
    const decode = [inZone(3, "a", 8), inZone(4, "b", 0)];
    // 1+3: 8, 1+4: 10 to move, 2+4: 3.
    expect(pick(prefill, decode).pair).toEqual([2, 4]);
  });

  it("must be of one domain where that is required, whatever it costs", () => {
    const { pair, chosen } = pick([inZone(1, "a", 0), inZone(2, "b", 900)], [inZone(4, "b", 900)], {
      enforcement: "require",
    });
    expect(pair).toEqual([2, 4]);
    expect(chosen.prefill.candidates.map(({ exclusion }) => exclusion)).toEqual(["other_domain", undefined]);
  });

  it("is none when required domains do not meet", () => {
    const apart = () => pick([inZone(1, "a", 0)], [inZone(2, "b", 0)], { enforcement: "require" });
    expect(apart).toThrow(expect.objectContaining({ code: "no_endpoints" }));
  });

  it("counts workers without the label as one domain", () => {
    expect(pick([inZone(1, undefined, 0)], [inZone(2, undefined, 0)], { enforcement: "require" }).pair).toEqual([1, 2]);
  });

  it("is refused as saturated when all decode workers are too busy", () => {
    const busy = inZone(2, "a", 0, { exclusion: "overloaded" });
    expect(() => pick([inZone(1, "a", 0)], [busy])).toThrow(expect.objectContaining({ code: "saturated" }));
  });

  it("weighs nothing on workers that may not be picked", () => {
    const decode = [inZone(3, "a", 0, { exclusion: "draining" }), inZone(4, "b", 0)];
    expect(pick([inZone(1, "a", 0), inZone(2, "b", 0)], decode).pair).toEqual([2, 4]);
  });

  it("is the least of all sums, whatever the loads", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const load = (n: number) => (seed * 7919 * n) % 23;
      const zones = ["a", "b", "c"];
      const prefill = [1, 2, 3, 4].map((i) => inZone(i, zones[(i * seed) % 3], load(i)));
      const decode = [5, 6, 7, 8].map((i) => inZone(i, zones[(i * seed * 5) % 3], load(i)));
      const zoneOf = (id: number) => [...prefill, ...decode][id - 1]?.rank.worker.labels.get("zone");
      const sum = (p: number, d: number) => load(p) + load(d) + (zoneOf(p) === zoneOf(d) ? 0 : promptBlocks);
      const least = Math.min(...[1, 2, 3, 4].flatMap((p) => [5, 6, 7, 8].map((d) => sum(p, d))));
      const [p = 0, d = 0] = pick(prefill, decode).pair;
      expect(sum(p, d)).toBe(least);
    }
  });
});
