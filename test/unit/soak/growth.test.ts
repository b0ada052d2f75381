import { describe, expect, it } from "vitest";
import { growthOf } from "../../soak/verdict/growth.ts";
import { median, theilSenSlope } from "../../soak/verdict/theil-sen.ts";

const line = (ys: readonly number[]) => ys.map((y, x) => ({ x, y }));

describe("theilSenSlope", () => {
  it.each([
    { what: "a straight line", ys: [1, 3, 5, 7], slope: 2 },
    { what: "a flat one", ys: [4, 4, 4], slope: 0 },
    { what: "one with two wild points of eight", ys: [0, 1, 2, 900, 4, 5, -900, 7], slope: 1 },
    { what: "one point", ys: [4], slope: 0 },
    { what: "nothing", ys: [], slope: 0 },
  ])("is that of $what", ({ ys, slope }) => {
    expect(theilSenSlope(line(ys))).toBe(slope);
  });

  // The slopes of all pairs, by hand: 1, 1.5, 1, 2, 1, 0.
  it("is the median of the slopes between all pairs", () => {
    expect(theilSenSlope(line([0, 1, 3, 3]))).toBe(1);
  });

  it("leaves pairs of one time out", () => {
    const points = [
      { x: 0, y: 0 },
      { x: 0, y: 50 },
      { x: 2, y: 4 },
    ];
    expect(theilSenSlope(points)).toBe((2 - 23) / 2);
  });
});

describe("median", () => {
  it("is the middle, or the mean of both", () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2])]).toEqual([2, 2.5]);
    expect(median([])).toBeNaN();
  });
});

describe("growthOf", () => {
  it("is the slope over the measured time, against a bound that grows with the figure", () => {
    const points = [
      { x: 10, y: 100 },
      { x: 20, y: 110 },
      { x: 30, y: 120 },
    ];
    const growth = growthOf("p", "f", points, { most: 5, share: 0.1 });
    expect(growth).toMatchObject({ median: 110, growth: 20, bound: 16, isFlat: false });
    expect(growthOf("p", "f", points, { most: 9, share: 0.1 }).isFlat).toBe(true);
  });

  it("is flat where a figure falls", () => {
    expect(growthOf("p", "f", line([3, 2, 1]), { most: 0, share: 0 }).isFlat).toBe(true);
  });
});
